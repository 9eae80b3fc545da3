/** Paths of the explorer page; its files are read on the first request. */

import type { HttpAnswer } from "./http-answer.js";
import type { HttpRequest } from "./plain-request.js";

const FOLDER = "/explorer";
/** WebSocket path of the page. */
export const LIVE_PATH = `${FOLDER}/live`;

/** Matches an Accept-Encoding list with gzip at a non-zero weight. */
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Whether a path belongs to the page. */
export const isExplorerPath = (path: string): boolean => path === FOLDER || path.startsWith(`${FOLDER}/`);

/**
 * Answers GET and HEAD.
 * @param path as it came
 * @param development whether the chain's owner may change it
 */
export async function explorerAnswer(
	{ headers }: HttpRequest,
	answer: HttpAnswer,
	path: string,
	development: boolean,
): Promise<void> {
	if (path === FOLDER) return answer.redirect(`${FOLDER}/`);
	const { installedExplorer } = await import("./explorer-files.js");
	const file = await installedExplorer.find(path.slice(FOLDER.length + 1), development);
	if (!file) return answer.page(404);
	const isKnown = (headers["if-none-match"] ?? "").split(",").some((tag) => tag.trim() === file.headers.ETag);
	if (isKnown) return answer.send(304, undefined, "", file.headers);
	if (!file.gzip || !TAKES_GZIP.test(String(headers["accept-encoding"] ?? "")))
		return answer.send(200, file.type, file.body, file.headers);
	answer.send(200, file.type, file.gzip, { ...file.headers, "Content-Encoding": "gzip" });
}
