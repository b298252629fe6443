/**
 * The words of the pipeline, from what an outcome can carry to what a person is asked. No runtime code.
 *
 * @module
 */
export {}
