/**
 * One listener per caller signal, for the signal's life, however many calls share it: a listener per call
 * leaks (`AbortSignal.any`) or warns at eleven.
 */
export class SignalHub {
    #followers = new WeakMap();
    /** Tells `who` of the signal's abort, until {@link unfollow}. The caller has looked at `signal.aborted`. */
    follow(signal, who) {
        let followers = this.#followers.get(signal);
        if (followers === undefined) {
            const fresh = new Set();
            followers = fresh;
            this.#followers.set(signal, fresh);
            signal.addEventListener('abort', () => {
                for (const follower of [...fresh])
                    follower.abort(signal.reason);
                fresh.clear();
            }, { once: true });
        }
        followers.add(who);
    }
    unfollow(signal, who) {
        this.#followers.get(signal)?.delete(who);
    }
}
