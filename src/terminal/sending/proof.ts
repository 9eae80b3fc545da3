/** A payment that leaves a proof of itself behind (protocol/inclusion-proof). */

import { toHex } from "../../protocol/bytes.js";
import { proveInclusion } from "../../wallet/inclusion/prove.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { asFailure } from "../output/failure-report.js";
import { writeNewFile } from "../output/new-file.js";
import type { ActingPlan } from "./act.js";
import type { Session } from "./session.js";

/** The same plan, which writes the proof once its transaction is irreversible. @param file that doesn't exist yet */
export function withProof(session: Session, client: NodeClient, plan: ActingPlan, file: string): ActingPlan {
	let id: Uint8Array | undefined;
	return {
		...plan,
		beforeSending: async (envelope) => {
			id = envelope.transaction.id;
			await plan.beforeSending?.(envelope);
		},
		afterwards: async () => {
			await plan.afterwards?.();
			if (!id) return;
			const txID = toHex(id);
			try {
				await writeNewFile(file, await proveInclusion(client, id));
			} catch (error) {
				const hint = `coin tx prove ${txID} --out <new file>`;
				throw asFailure(error).with({ sent: true, txID, hint });
			}
			session.note(`the proof of the payment is in ${file}`);
		},
	};
}
