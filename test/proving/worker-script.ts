import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Bundles the worker of this source. @param folder where to */
export async function bundleWorker(folder: string): Promise<URL> {
	const outfile = join(folder, "prover.worker.mjs");
	await build({
		entryPoints: ["src/proving/prover.worker.ts"],
		bundle: true,
		format: "esm",
		platform: "node",
		outfile,
		logLevel: "silent",
	});
	return pathToFileURL(outfile);
}
