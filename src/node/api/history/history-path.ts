/** Where the history interface is asked; its room is loaded with the first request for it. */

import type { ApiContext } from "../context.js";
import { JSON_TYPE } from "../http-answer.js";
import type { HttpRequest } from "../http-request.js";
import { hostOf } from "../service-pages.js";
import type { HistoryAnswer } from "./history-routes.js";

const PATH = /^\/(v1|event)\//;
/** Paths of the event query service, which only a node with a history has: they are not told from others without it. */
const QUERY_PATH =
	/^\/(?:(?:blocks|transactions|transfers|events|contractlogs)(?:\/|$)|(?:orc|trc)20\/getholder\/)/;
/** Libraries ask for this before they use an event server; whatever is answered with 200 will do. */
export const HEALTH_PATH = "/healthcheck";
export const HEALTHY: HistoryAnswer = { status: 200, type: JSON_TYPE, text: '{"ok":true}\n' };

/** Whether a path is one of the interface. */
export const isHistoryPath = (path: string, { history }: Pick<ApiContext["node"], "history">): boolean =>
	PATH.test(path) || (history !== undefined && QUERY_PATH.test(path));

/**
 * Answers a request to the interface.
 * @param path without doubled slashes
 * @param query what follows the question mark
 */
export async function historyAnswer(
	context: ApiContext,
	{ headers }: HttpRequest,
	path: string,
	query: string,
): Promise<HistoryAnswer> {
	const { answerHistory } = await import("./history-routes.js");
	const origin = `http://${hostOf(headers.host) ?? "127.0.0.1"}`;
	return answerHistory(context, { path, query: new URLSearchParams(query), origin });
}
