import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import manifest from './package.json' with { type: 'json' }

/** `toolware/koa` in an example is the source of what the package exports under that name; no build is needed. */
const ownName = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : {
        find: new RegExp(`^${manifest.name}${path.slice(1)}$`),
        replacement: fileURLToPath(
          new URL(target.default.replace('./dist/', './').replace(/\.js$/, '.ts'), import.meta.url),
        ),
      },
)

const config: ViteUserConfig = defineConfig({
  resolve: { alias: ownName },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/types/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: { include: ['lib/**', 'middleware/**', 'bin/**'] },
  },
})

export default config
