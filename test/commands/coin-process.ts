/** The program as a subprocess, in tests that have the time for it. */

export { errorRecord, Home, type Outcome } from "./home.js";
