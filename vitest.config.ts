import { defineConfig } from "vitest/config";

export default defineConfig({
	// Tests start programs and derive keys with full strength: on a busy machine that takes longer than five seconds.
	test: { testTimeout: 60_000, hookTimeout: 120_000 },
});
