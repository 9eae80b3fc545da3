/** A node for tests of the wallet: answers by endpoint, and what it was asked. */

import { Failure } from "../../src/wallet/failure.js";
import type { JsonRecord } from "../../src/wallet/json.js";
import type { NodeClient, NodeView } from "../../src/wallet/node/node-client.js";

type Request = Readonly<Record<string, unknown>>;
type Answer = JsonRecord | Failure | ((request: Request) => JsonRecord | Failure);

interface AnsweringClient {
	readonly client: NodeClient;
	readonly asked: { readonly endpoint: string; readonly request: Request; readonly view: NodeView }[];
}

/** @param settings of the client @throws an answer that is a failure; `not_served` for any other endpoint */
export function answering(
	answers: Readonly<Record<string, Answer>>,
	settings: Readonly<Record<string, unknown>> = {},
): AnsweringClient {
	const asked: AnsweringClient["asked"] = [];
	const call = async (endpoint: string, request: Request, view: NodeView = "full"): Promise<JsonRecord> => {
		asked.push({ endpoint, request, view });
		const known = answers[endpoint];
		const answer = typeof known === "function" ? known(request) : known;
		if (answer === undefined) throw new Failure("not_served", endpoint);
		if (answer instanceof Failure) throw answer;
		return answer;
	};
	return { client: { call, settings } as unknown as NodeClient, asked };
}
