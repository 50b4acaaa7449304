// A run that grows while it is looked at: asks how far it has come, fetches new times and steps, says so in a badge.
import { $, say } from "./page";
import type { Player } from "./player";
import { fetchStatus, fetchSteps, fetchTimes, type Status, type Steps } from "./run";

const MOST_STEPS = 4000;

export class Live {
    status: Status | null = null;
    steps: Steps = { count: 0, stride: 1, columns: {} };
    atEnd = false; // show new frames as they come
    waited = false; // the page was there before the run
    onSteps: (steps: Steps) => void = () => {};
    onChange: () => void = () => {};
    private lastSteps = 0;

    constructor(private readonly player: Player) {}

    /** Wait until there is a run. */
    async begin(): Promise<void> {
        for (;;) {
            try {
                this.status = await fetchStatus();
                if (!this.status.message) break;
                this.waited = true;
                say("Waiting for the run to start…");
            } catch (error) {
                say(`No answer from moraine: ${(error as Error).message}`, true);
            }
            await new Promise((r) => setTimeout(r, 500));
        }
        this.player.times = await fetchTimes(0);
    }

    private get complete(): boolean {
        const s = this.status, t = this.player.times;
        return !!s && s.end_time !== null && t.length > 0 && t[t.length - 1] >= s.end_time * (1 - 1e-9);
    }

    get growing(): boolean {
        return !!this.status && (this.status.writing || !this.complete);
    }

    /** Simulated time that the run spans, or will. */
    get duration(): number {
        const t = this.player.times;
        return Math.max(t.length ? t[t.length - 1] - t[0] : 0, this.growing ? this.status?.end_time ?? 0 : 0);
    }

    badge(): void {
        const badge = $("badge"), s = this.status, t = this.player.times;
        badge.hidden = !s || (this.complete && !s.writing);
        badge.className = `badge ${s?.writing ? "live" : "ended"}`;
        badge.textContent = s?.writing ? `live, ${s.end_time ? Math.floor(100 * Math.min(1, (t[t.length - 1] ?? 0) / s.end_time)) : 0} %` : "stopped before its end";
    }

    /** Ask now and then while the run may still grow; a page that nobody sees does not ask. */
    poll(generation: number): void {
        const again = () => setTimeout(() => this.poll(generation), document.hidden ? 5000 : this.status?.writing ? 700 : 2500);
        if (document.hidden) return void again();
        void this.update(generation).catch((e) => say(`No answer from moraine: ${(e as Error).message}`, true)).then(() => {
            if (this.growing) again();
        });
    }

    private async update(generation: number): Promise<void> {
        const status = await fetchStatus(), before = this.player.count;
        if (status.message) return;
        this.status = status;
        if (status.generation !== generation) return location.reload();
        if (status.frames < before) {
            // The run was taken up from an earlier checkpoint.
            this.player.clear();
            this.player.times = await fetchTimes(0);
            this.player.seek(Math.min(this.player.index, status.frames - 1));
            this.steps = { count: 0, stride: 1, columns: {} };
        } else if (status.frames > before) {
            const more = await fetchTimes(before), all = new Float64Array(before + more.length);
            all.set(this.player.times);
            all.set(more, before);
            this.player.times = all;
            if (!before) say("");
            if (this.atEnd && !this.player.playing) this.player.seek(all.length - 1);
            else this.player.onState();
        }
        this.badge();
        if (status.steps !== this.steps.count && performance.now() - this.lastSteps > (this.steps.stride > 1 ? 10000 : 900)) await this.loadSteps();
        this.onChange();
    }

    /** The rows of the step table that are new; all of it, thinned, where it is long. */
    async loadSteps(): Promise<void> {
        this.lastSteps = performance.now();
        const known = this.steps.stride === 1 ? this.steps.count : 0;
        try {
            const more = await fetchSteps(known, MOST_STEPS);
            if (known && more.stride === 1 && known + more.count <= 2 * MOST_STEPS) {
                const columns: Record<string, Float64Array> = {};
                for (const [name, a] of Object.entries(more.columns)) {
                    columns[name] = new Float64Array(known + a.length);
                    columns[name].set(this.steps.columns[name]);
                    columns[name].set(a, known);
                }
                this.steps = { count: known + more.count, stride: 1, columns };
            } else this.steps = known ? await fetchSteps(0, MOST_STEPS) : more;
            this.onSteps(this.steps);
        } catch (error) {
            say((error as Error).message, true);
        }
    }
}
