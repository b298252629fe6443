import { snapshotFacts } from './facts.js';
/** What every party of a call can read. All of it is on the prototype: making one costs next to nothing. */
export class CallView {
    #run;
    #controller;
    /** Set when this context's handler was given up, or the call was. */
    #voided;
    static {
        Object.defineProperty(CallView.prototype, Symbol.for('nodejs.util.inspect.custom'), {
            value: CallView.prototype.toJSON,
        });
    }
    constructor(run) {
        this.#run = run;
    }
    /**
     * The run behind a context.
     *
     * @throws {TypeError} When it is not a context of this package.
     */
    static run(view) {
        if (#run in view)
            return view.#run;
        throw new TypeError('adapt() and compose() run inside a pipeline: pass on the ctx you were given');
    }
    get id() {
        return this.#run.id;
    }
    get toolName() {
        return this.#run.toolName;
    }
    get params() {
        return this.#run.params;
    }
    get argumentsJson() {
        return this.#run.argumentsJson;
    }
    get log() {
        return this.#run.settings.log;
    }
    get execEnv() {
        return this.#run.rareIfAny?.execEnv;
    }
    get toolCallId() {
        return this.#run.facts.toolCallId;
    }
    get runId() {
        return this.#run.facts.runId;
    }
    get parentCallId() {
        return this.#run.facts.parentCallId;
    }
    get sessionId() {
        return this.#run.facts.sessionId;
    }
    get sessionKey() {
        return this.#run.facts.sessionKey;
    }
    get channelId() {
        return this.#run.facts.channelId;
    }
    get senderId() {
        return this.#run.facts.senderId;
    }
    get correlationId() {
        return this.#run.facts.correlationId;
    }
    get agentId() {
        return this.#run.facts.agentId;
    }
    get requester() {
        return this.#run.facts.requester;
    }
    get toolKind() {
        return this.#run.facts.toolKind;
    }
    get toolInputKind() {
        return this.#run.facts.toolInputKind;
    }
    get derivedPaths() {
        return this.#run.facts.derivedPaths;
    }
    get execHost() {
        return this.#run.facts.execHost;
    }
    get messageProvider() {
        return this.#run.facts.messageProvider;
    }
    get isStreaming() {
        return this.#run.facts.isStreaming ?? false;
    }
    get trace() {
        return this.#run.facts.trace;
    }
    get timestamp() {
        return this.#run.facts.timestamp;
    }
    get signal() {
        if (this.#controller === undefined) {
            this.#controller = new AbortController();
            if (this.#voided === undefined)
                this.#run.watch(this);
            if (this.#voided !== undefined)
                this.#controller.abort(this.#voided.reason);
        }
        return this.#controller.signal;
    }
    /** True when the signal was read, or has fired: this context cannot serve the way out. */
    get touched() {
        return this.#controller !== undefined || this.#voided !== undefined;
    }
    /** Fires the signal, also one that is read later. */
    void(reason) {
        this.#voided ??= { reason };
        this.#controller?.abort(reason);
    }
    /** The facts and params, for logs and debuggers. */
    toJSON() {
        return {
            ...snapshotFacts(this.#run.facts),
            signal: undefined,
            toolName: this.toolName,
            params: this.params,
        };
    }
}
/** What a hook gets. */
export class HookView extends CallView {
    /** Set when the handler was given up: what it writes from then on concerns nobody. */
    #ownState;
    keepState(state) {
        this.#ownState = state;
    }
    get state() {
        if (this.#ownState !== undefined)
            return this.#ownState;
        const { rare } = CallView.run(this);
        rare.state ??= new Map();
        return rare.state;
    }
    get recheck() {
        return CallView.run(this).rechecking;
    }
    get resumed() {
        return CallView.run(this).rareIfAny?.held !== undefined;
    }
    get judging() {
        return CallView.run(this).rareIfAny?.judging !== undefined;
    }
}
