// The page begins here.
import "./style.css";
import { App } from "./app";
import { say } from "./page";

const app = new App();
(window as unknown as { moraine: App }).moraine = app;
app.start().catch((error) => say(`The run cannot be shown: ${(error as Error).message}`, true));
