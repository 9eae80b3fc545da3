/** The program as a subprocess, in tests that have the time for it. */

import { vi } from "vitest";

export { errorRecord, Home, type Outcome } from "./home.js";

// Each test starts several processes; on a loaded machine they take their time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
