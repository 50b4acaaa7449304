// For tests and measurements: what is really on the screen, and what it took to get it there.
import type { App } from "./app";
import { poseOf } from "./bounds";

export function probeOf(app: App) {
    return {
        visible: () => [...app.stage.visible()],
        place: (body: number) => {
            const p = poseOf(app.model, app.player.shown!, body).position;
            return app.stage.project(p.x, p.y, p.z);
        },
        placeOfContact: (i: number) => {
            const c = app.player.shown!.contacts!.position;
            return app.stage.project(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
        },
        frame: () => app.player.shown,
        model: () => app.model,
        player: app.player,
        get stage() {
            return app.stage;
        },
        /** Of the last picture: milliseconds of this thread for a new frame and for drawing, and what the GPU was told to do. */
        cost: () => ({ ...app.stage.cost, frameMilliseconds: app.frameMilliseconds }),
        picture: async () => {
            const blob = await app.recorder.picture();
            return new Promise<string>((done) => {
                const reader = new FileReader();
                reader.onload = () => done(reader.result as string);
                reader.readAsDataURL(blob);
            });
        },
    };
}
