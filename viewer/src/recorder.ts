// Pictures and films that people save.
import { Film, picture, save } from "./capture";
import { $, say } from "./page";
import type { Player } from "./player";
import type { Stage } from "./stage";

export class Recorder {
    private film: Film | null = null;

    constructor(private readonly stage: Stage, private readonly player: Player, private readonly name: () => string) {}

    /** The picture with clock, legend and ruler. */
    picture(): Promise<Blob> {
        return picture($("stage"), () => this.stage.draw());
    }

    async shot(): Promise<void> {
        save(await this.picture(), `${this.name()}-${String(this.player.index).padStart(4, "0")}.png`);
    }

    /** A frame is on the screen: it belongs to the film, if there is one. */
    frame(): void {
        this.film?.add(() => this.stage.draw());
    }

    /** Playing has stopped or moved: a film ends with the last frame. */
    moved(): void {
        if (this.film && !this.player.playing && this.player.index === this.player.count - 1) void this.end();
    }

    /** A film runs from the shown frame to the last one, or until it is stopped. */
    toggle(mp4: boolean): void {
        if (this.film) return void this.end();
        if (!Film.possible) return say("This browser cannot record films.", true);
        if (mp4 && !Film.types("mp4").length) return say("This browser records WebM only; `moraine movie` makes MP4.", true);
        if (this.player.index === this.player.count - 1) this.player.seek(0);
        this.film = new Film($("stage"), this.stage.canvas, mp4 ? "mp4" : "webm");
        $("film").ariaPressed = "true";
        this.player.play(true);
    }

    private async end(): Promise<void> {
        const film = this.film;
        if (!film) return;
        this.film = null;
        this.player.play(false);
        $("film").ariaPressed = "false";
        save(await film.stop(), `${this.name()}.${film.type.includes("mp4") ? "mp4" : "webm"}`);
    }
}
