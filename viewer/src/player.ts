// Which frame is shown, and when: a cache of frames, one after the other as they are needed, and playing in time.
import { fetchFrame, type Frame } from "./run";

const MOST_BYTES = 256e6; // of frames kept

export class Player {
    times = new Float64Array();
    index = 0;
    playing = false;
    loop = false;
    rate = 1; // simulated seconds per second
    needContacts = false;
    onFrame: (frame: Frame) => void = () => {};
    onState: () => void = () => {};
    onError: (text: string) => void = () => {};
    shown: Frame | null = null;
    private cache = new Map<string, Promise<Frame>>();
    private sizes = new Map<string, number>();
    private bytes = 0;
    private wanted = -1;
    private loading = false;
    private clock = 0; // simulated time while playing
    private last = 0;

    get count(): number {
        return this.times.length;
    }
    get time(): number {
        return this.times[this.index] ?? 0;
    }

    clear(): void {
        this.cache.clear();
        this.sizes.clear();
        this.bytes = 0;
        this.shown = null;
    }

    frame(index: number, contacts = this.needContacts): Promise<Frame> {
        const full = `${index}c`, key = contacts ? full : `${index}`;
        const kept = this.cache.get(full) ?? this.cache.get(key);
        if (kept) return kept;
        const coming = fetchFrame(index, contacts);
        this.cache.set(key, coming);
        coming.then((f) => {
            this.sizes.set(key, f.bytes);
            this.bytes += f.bytes;
            for (const old of this.cache.keys()) {
                if (this.bytes <= MOST_BYTES || this.cache.size <= 4) break;
                this.bytes -= this.sizes.get(old) ?? 0;
                this.sizes.delete(old);
                this.cache.delete(old);
            }
        }, () => this.cache.delete(key));
        return coming;
    }

    /** Show a frame; when several are asked for while one loads, the last one counts. */
    seek(index: number): void {
        if (!this.count) return;
        this.wanted = Math.max(0, Math.min(this.count - 1, Math.round(index)));
        this.index = this.wanted;
        this.onState();
        void this.pump();
    }

    seekTime(time: number): void {
        let low = 0, high = this.count - 1;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.times[middle] < time) low = middle + 1;
            else high = middle;
        }
        if (low > 0 && time - this.times[low - 1] < this.times[low] - time) low--;
        this.seek(low);
    }

    /** The shown frame again, for instance because its contacts are wanted now. */
    refresh(): void {
        this.seek(this.index);
    }

    private async pump(): Promise<void> {
        if (this.loading) return;
        this.loading = true;
        while (this.wanted >= 0) {
            const index = this.wanted;
            this.wanted = -1;
            try {
                const frame = await this.frame(index);
                this.shown = frame;
                this.onError("");
                this.onFrame(frame);
            } catch (error) {
                this.onError(String((error as Error).message ?? error));
            }
        }
        this.loading = false;
    }

    play(on: boolean): void {
        if (on === this.playing || (on && this.count < 2)) return;
        if (on && this.index === this.count - 1) this.seek(0);
        this.playing = on;
        this.clock = this.time;
        this.last = 0;
        if (on) requestAnimationFrame((now) => this.tick(now));
        this.onState();
    }

    private tick(now: number): void {
        if (!this.playing) return;
        requestAnimationFrame((t) => this.tick(t));
        const gap = this.last ? Math.min(0.1, (now - this.last) / 1000) : 0;
        this.last = now;
        if (this.loading) return; // the picture is late: time waits for it
        this.clock += gap * this.rate;
        const end = this.times[this.count - 1];
        if (this.clock >= end) {
            if (this.loop) this.clock = this.times[0];
            else if (this.index === this.count - 1) return this.play(false);
            else this.clock = end;
        }
        let next = this.index;
        if (this.times[next] > this.clock) next = 0;
        while (next + 1 < this.count && this.times[next + 1] <= this.clock) next++;
        if (next !== this.index) this.seek(next);
        for (let k = 1; k <= 2; k++) if (this.index + k < this.count) void this.frame(this.index + k).catch(() => {});
    }
}
