import { describe, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import type { configSchema, ToolwareConfig } from '../../middleware/config.ts'

describe('configSchema', () => {
  // That each section has exactly the keys of its interface is held where the schema stands, by `satisfies Shape<...>`.
  it('gives the configuration that is written by hand', () => {
    expectTypeOf<z.infer<typeof configSchema>>().toEqualTypeOf<ToolwareConfig>()
  })

  it('takes a configuration in code, and no misspelt key', () => {
    expectTypeOf<{ tooling: { workspaceOnly: true } }>().toExtend<ToolwareConfig>()
    // @ts-expect-error there is no such key
    const config: ToolwareConfig = { tooling: { workspaceonly: true } }
    expectTypeOf(config).toEqualTypeOf<ToolwareConfig>()
  })
})
