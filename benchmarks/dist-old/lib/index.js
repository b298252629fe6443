export { adapt } from './adapt.js';
export { compose } from './compose.js';
export { isToolwareError, ToolDeniedError, ToolwareError } from './errors.js';
export { streamSafe } from './frame.js';
export { currentCall, } from './scope.js';
export { Toolware, } from './toolware.js';
export { ask, deny, rewrite } from './verdict.js';
