/** The older majors, installed under aliases, have the shape of the current ones where tests touch them. */
declare module 'koa2' {
  export { default } from 'koa'
}

declare module 'express4' {
  export { default } from 'express'
}
