const NAMES = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  // Windows does not start programs without most of these.
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
])

/**
 * The environment of a plugin's process: a short list of names from the host's own, never its secrets, and
 * what the operator adds under `entries.<id>.bridge.env`.
 */
export function childEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(host)) {
    const known = NAMES.has(name.toUpperCase()) || name.startsWith('LC_')
    // A value that begins so is a shell function that some shells would define.
    if (known && value !== undefined && !value.startsWith('()')) env[name] = value
  }
  return { ...env, ...added }
}
