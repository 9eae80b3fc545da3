/** `npm run tool check:frames -- <folder>`: holds every frame of a folder of recordings against our reading and writing. */

import { readdirSync } from "node:fs";
import { isFrame, readRecording } from "../recorded-frames.js";
import { checkFrame } from "./frame-check.js";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("which folder?");
let frames = 0;
let wrong = 0;
for (const name of readdirSync(folder).filter((each) => each.endsWith(".ndjson.br"))) {
	for (const frame of readRecording(`${folder}/${name}`).filter(isFrame)) {
		frames++;
		const problem = checkFrame(frame);
		if (problem === undefined) continue;
		wrong++;
		console.log(`${name}: ${frame.from} ${frame.name} at ${frame.ms} ms: ${problem}`);
	}
}
console.log(`${frames} frames, ${wrong} of them read or written differently`);
process.exitCode = wrong === 0 ? 0 : 1;
