import type { ShellRedirect, ShellStep, SimpleCommand } from '../../lib/policy/shell/types.ts'

/** Every simple command of a script, those in substitutions included. */
export function commandsOf(step: ShellStep): SimpleCommand[] {
  switch (step.kind) {
    case 'command':
      return [step, ...step.inner.flatMap(commandsOf)]
    case 'negated':
      return commandsOf(step.step)
    case 'sequence':
    case 'and-or':
      return step.steps.flatMap(commandsOf)
    default:
      return [...step.steps, ...step.inner].flatMap(commandsOf)
  }
}

/** Every redirect to or from a file. */
export function redirectsOf(step: ShellStep): ShellRedirect[] {
  switch (step.kind) {
    case 'command':
      return [...step.redirects, ...step.inner.flatMap(redirectsOf)]
    case 'negated':
      return redirectsOf(step.step)
    case 'sequence':
    case 'and-or':
      return step.steps.flatMap(redirectsOf)
    default:
      return [...step.redirects, ...[...step.steps, ...step.inner].flatMap(redirectsOf)]
  }
}
