/** Paths of the history API; its implementation is loaded on the first request. */

import { budgetAddress } from "../../listening/connection-gate.js";
import type { ApiContext } from "../context.js";
import { type HttpAnswer, JSON_TYPE } from "../http-answer.js";
import { sendLong } from "../long-answer-sender.js";
import type { HttpRequest } from "../plain-request.js";
import { hostOf } from "../service-pages.js";

const PATH = /^\/(v1|event)\//;
/** Paths of the event query service; a node without history treats them like any unknown path. */
const QUERY_PATH =
	/^\/(?:(?:blocks|transactions|transfers|events|contractlogs)(?:\/|$)|(?:orc|trc)20\/getholder\/)/;
/** Libraries request this before using an event server; any 200 response will do. */
export const HEALTH_PATH = "/healthcheck";
export const HEALTHY = { status: 200, type: JSON_TYPE, text: '{"ok":true}\n' };

/** Whether a path belongs to the API. */
export const isHistoryPath = (path: string, { history }: Pick<ApiContext["node"], "history">): boolean =>
	PATH.test(path) || (history !== undefined && QUERY_PATH.test(path));

/**
 * Answers a request to the API; a long answer is produced and sent piece by piece.
 * @param path without doubled slashes
 * @param query what follows the question mark
 */
export async function sendHistory(
	context: ApiContext,
	request: HttpRequest,
	answer: HttpAnswer,
	path: string,
	query: string,
): Promise<void> {
	const { answerHistory } = await import("./history-routes.js");
	const { headers, socket } = request;
	const { node } = context;
	const origin = `http://${hostOf(headers.host) ?? "127.0.0.1"}`;
	const found = await answerHistory(context, { path, query: new URLSearchParams(query), origin });
	if (typeof found.text === "string") return answer.send(found.status, found.type, found.text);
	await sendLong(answer, found.text, {
		contentType: found.type,
		unread: node.limiter.unreadAnswers,
		enter: (cost) => node.limiter.longAnswers.enter(budgetAddress(socket), cost),
		isAbandoned: () => socket.destroyed,
		failed: (error) => {
			node.report(error, "history");
			return '{"success":false,"error":"internal error","statusCode":500}';
		},
		failedStatus: 500,
	});
}
