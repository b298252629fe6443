import type { KnownActions, ToolFacts } from './catalogue.ts'

const FILE = ['path', 'file_path', 'filePath', 'absolute_path', 'target_file', 'file', 'filename']
const DIR = [
  'path',
  'dir_path',
  'dirPath',
  'directory',
  'relative_workspace_path',
  'target_directory',
]
const COMMANDS = ['command', 'cmd', 'commands', 'script', 'input', 'code']

const read = (paths: readonly string[], more: Partial<ToolFacts> = {}): ToolFacts => ({
  access: 'read',
  paths,
  ...more,
})
const write = (paths: readonly string[], more: Partial<ToolFacts> = {}): ToolFacts => ({
  access: 'write',
  paths,
  ...more,
})
const looks: ToolFacts = { access: 'read' }
const changes: ToolFacts = { access: 'write' }
const shell: ToolFacts = {
  access: 'exec',
  commands: COMMANDS,
  worksHere: 'without-path',
  idle: 'restart',
}
const code: ToolFacts = { access: 'exec', commands: ['code', 'command', 'script'], form: 'code' }
const opaque: ToolFacts = { access: 'exec', form: 'opaque' }
const acting = (...actions: KnownActions[]): ToolFacts => ({ access: 'write', actions })
const gitTool = (access: 'read' | 'write', subcommand: string): ToolFacts => ({
  access,
  form: 'git',
  subcommand,
  paths: ['repo_path'],
  worksHere: 'without-path',
})
const editor: KnownActions = { key: 'command', read: ['view'] }
const search = { text: ['pattern', 'query', 'regex'], worksHere: 'without-path' } as const

/**
 * Tool names of OpenClaw, OpenClaw.NET, Claude Code, the Anthropic tools, Codex, Gemini CLI, Cursor, VS Code and
 * the MCP filesystem server, by what they take. Keys hold several names.
 */
const ROWS: Readonly<Record<string, ToolFacts>> = {
  // Files
  'read_file file_read Read read view view_file open_file read_text_file read_media_file':
    read(FILE),
  'get_file_info file_info stat view_image NotebookRead': read([...FILE, 'notebook_path']),
  'pdf_read read_pdf': read(FILE),
  'image_analyze vision_analyze': read(['image_path', 'image_paths[]', 'path']),
  'read_multiple_files read_many_files': read(['path'], {
    globs: ['paths[]', 'include[]', 'files[]', 'file_paths[]'],
  }),
  'list_dir list_directory list_directory_with_sizes directory_tree list_files file_list LS ls':
    read(DIR, { worksHere: 'without-path' }),
  'grep Grep search_file_content grep_search grep_files rg ripgrep search_files': read(
    ['path', 'dir_path', 'file_path'],
    { globs: ['glob', 'include', 'include_pattern', 'includePattern'], ...search },
  ),
  'glob Glob glob_file_search find find_files': read(DIR, {
    globs: ['pattern', 'glob_pattern', 'glob'],
    worksHere: 'without-glob',
  }),
  file_search: read(DIR, { globs: ['query'], worksHere: 'without-glob' }),
  'codebase_search semantic_search': read([], {
    globs: ['target_directories[]'],
    ...search,
  }),
  'write_file file_write Write write create_file save_file append_file append_to_file': write(FILE),
  'edit_file Edit edit replace search_replace str_replace insert_edit_into_file': write(FILE),
  'replace_string_in_file edit_notebook edit_notebook_file': write([...FILE, 'target_notebook']),
  'multi_edit MultiEdit': write([...FILE, 'edits[].path', 'edits[].file_path']),
  multi_replace_string_in_file: write(['replacements[].filePath']),
  NotebookEdit: write(['notebook_path', 'path']),
  'delete_file remove_file file_delete delete_path reapply': write(FILE),
  'create_directory make_directory mkdir delete_directory': write(DIR),
  'move_file copy_file rename rename_file move copy': write([
    'source',
    'destination',
    'from',
    'to',
    'oldPath',
    'newPath',
    'old_path',
    'new_path',
    'src',
    'dest',
  ]),
  'create_symlink symlink create_link link hardlink': write([
    'target',
    'linkPath',
    'link_path',
    'path',
    'source',
    'destination',
  ]),
  'apply_patch patch apply_diff': write(['path', 'file_path'], {
    patches: ['input', 'patch', 'diff', 'patchText', 'content'],
  }),
  pdf_parse: write([...FILE, 'output_path']),
  'publish_file emit_artifact': write(FILE),
  'str_replace_editor str_replace_based_edit_tool text_editor text_editor_code_execution': {
    access: 'write',
    paths: FILE,
    actions: [editor],
  },
  memory: {
    access: 'write',
    // Its paths begin at the root of the memory.
    text: ['path', 'old_path', 'new_path'],
    actions: [{ key: 'action', read: ['list', 'get', 'search', 'read', 'recall', 'view'] }, editor],
  },

  // Commands and code
  'shell Shell bash Bash sh zsh terminal Terminal exec execute execute_command run_command': shell,
  'run_shell_command run_terminal_cmd run_terminal_command run_in_terminal shell_command': shell,
  'exec_command unified_exec local_shell container.exec run_shell bash_code_execution': shell,
  'powershell cmd pwsh': { ...shell, form: 'foreign' },
  'write_stdin send_to_terminal': {
    access: 'exec',
    commands: ['chars', 'input', 'data', 'command'],
  },
  'code_exec code_execution execute_code run_code python execute_python run_python python_repl':
    code,
  code_mode_exec: code,
  git: {
    access: 'write',
    form: 'git',
    worksHere: 'without-path',
  },
  // The git server of the Model Context Protocol
  git_status: gitTool('read', 'status'),
  'git_diff git_diff_unstaged git_diff_staged': gitTool('read', 'diff'),
  git_log: gitTool('read', 'log'),
  git_show: gitTool('read', 'show'),
  git_branch: gitTool('read', 'branch'),
  git_create_branch: gitTool('write', 'branch name'),
  git_checkout: gitTool('write', 'checkout name'),
  git_add: gitTool('write', 'add .'),
  git_commit: gitTool('write', 'commit -m message'),
  git_reset: gitTool('write', 'reset'),
  git_init: gitTool('write', 'init'),
  process: {
    access: 'exec',
    commands: ['command', 'cmd', 'data', 'input', 'text'],
    actions: [
      {
        key: 'action',
        default: 'start',
        read: ['list', 'poll', 'log', 'logs', 'status', 'get'],
        write: ['kill', 'stop', 'clear', 'remove'],
      },
    ],
  },
  external_cli: {
    ...opaque,
    actions: [
      {
        key: 'action',
        default: 'list_connectors',
        read: ['list_connectors', 'list', 'describe', 'status'],
      },
    ],
  },
  'runTests run_tests run_task create_and_run_task run_notebook_cell run_vscode_command': opaque,

  // Plans, memory, sessions
  todo: acting({ key: 'action', default: 'list', read: ['list', 'get'] }),
  manage_todo_list: acting({ key: 'operation', read: ['read'] }),
  automation: acting({
    key: 'action',
    default: 'list',
    read: ['list', 'get', 'status', 'history', 'preview'],
  }),
  cron: acting({ key: 'action', default: 'status', read: ['list', 'status', 'runs'] }),
  gateway: acting({ key: 'action', read: ['config.get', 'config.schema'] }),
  nodes: acting({ key: 'action', read: ['status', 'describe', 'pending'] }),
  'todo_write TodoWrite write_todos update_plan save_memory memory_set project_memory': changes,
  'TodoRead todo_read memory_search memory_get session_search sessions_list': looks,
  'sessions_history session_status agents_list profile_read list_allowed_directories': looks,
  'sessions_send sessions_spawn delegate_agent Task Agent subagents runSubagent': changes,

  // The rest of the world
  'web_search WebSearch google_web_search web_fetch WebFetch fetch_webpage': looks,
  'search search_web BashOutput get_terminal_output': looks,
  'think ask_user AskUserQuestion get_errors read_lints get_changed_files list_code_usages': looks,
  'test_search terminal_last_command terminal_selection ToolSearch': looks,
  'ListMcpResourcesTool ReadMcpResourceTool home_assistant mqtt notion': looks,
  'database home_assistant_write mqtt_publish notion_write inbox_zero email calendar': changes,
  'tts KillShell KillBash message browser canvas payment image_gen image_generate text_to_speech profile_write':
    changes,
  'computer meta_invoke install_extension create_new_workspace open_simple_browser': changes,
}

/** The built-in catalogue: facts by exact tool name. */
export const KNOWN_TOOLS: ReadonlyMap<string, ToolFacts> = new Map(
  Object.entries(ROWS).flatMap(([names, facts]) =>
    names.split(' ').map((name): [string, ToolFacts] => [name, facts]),
  ),
)
