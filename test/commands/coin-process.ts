/** The program as a subprocess, in tests that have the time for it. */

export { errorRecord, Home, type Outcome, PATIENCE } from "./home.js";
