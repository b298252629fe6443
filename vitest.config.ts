import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/types/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: { include: ['lib/**', 'middleware/**', 'bin/**'] },
  },
})

export default config
