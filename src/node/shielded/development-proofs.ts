/**
 * Verifies shielded proofs on a development chain without configured parameters (protocol/shielded §8.3),
 * with built-in keys. Anything slow is deferred until the first proof.
 */

import { fromHex } from "../../protocol/bytes.js";
import type { Groth16, ProofCheck } from "./groth16.js";
import { loadGroth16 } from "./groth16-library.js";
import { portableGroth16 } from "./groth16-portable.js";
import type { ProofKeys } from "./proof-threads.js";
import { SaplingVerifier } from "./verifier.js";
import type { VerifyingKey } from "./verifying-key.js";

/**
 * Verifying keys of development chains (protocol/shielded §8.3): the beginnings of the parameter files
 * generated from public seeds, so that a chain can verify proofs before anybody has generated the files.
 */
export const DEVELOPMENT_SPEND_KEY: VerifyingKey = {
	alpha: fromHex(
		"b06d2d883901f35602e216ab677963375b23a3668c24453b0610c9fee5333546b6f3e9b2d0e110e754f74b7642c5adeb",
	),
	beta: fromHex(
		"a8d72454162370cefedb2e42894e858202cf66a90e488a4e531be850411f5c1731fc219437f444b70b5129078717d94d0c9835bb72e954f562decdf0ee0d705152b03daf731bc5b835017938bb9479db68e95fe54860af1247656e2c200b5287",
	),
	gamma: fromHex(
		"b0677ed76fccc6d8ad62852983c4e1f8364ec5bfb435ffdfd757bc9f8cf66737b7c90c00da783c45e46f17572d0b3119098bfdeb131ef3afa19860bac0880f7fad80905e715764b88e0748c4e8eae56db2199397c949f1820fefca8d72546319",
	),
	delta: fromHex(
		"a99c723fe0f6b06efea6af879d5b7045f1e81e3103e8d04ac77b922434f45c93717eeb588439ff2ed282ea9cc29d2e32168b167df2116bb03b9e7a8d90df099c816228833fde22d2d12c6b99b0f34253d74fedea381100a556cedafbb3222cc2",
	),
	inputs: [
		fromHex(
			"8d17eae7c1dd9a402c17c4655cb58b8a221f08119e899c05b1b9e7fa9c64c9c9afe446da483b8c2c23ea9aed44a869cd",
		),
		fromHex(
			"a8a3a10256759285cd3ad82fcb728904d1e6e733cd01ea60a029aee7583252111de2531447f6128cab246056db4a0cbd",
		),
		fromHex(
			"996501f9447967187bf2a8f2b79045f3f335180b7b7da7812fa1e7fa78f315c5313adbd853d6c173fc8a5f55587b172d",
		),
		fromHex(
			"af2e1543f2cead049c6e086a0548a5290f76e6efa2a1452fca3f962280ea0aa364d738fb5e8871f363949e468112e7c5",
		),
		fromHex(
			"8d1d0a0c40d1948921ec829121bf55a41ff394bbc4dd01d452932af1a8272fff2e3303816fabafafe85db56933ee8004",
		),
		fromHex(
			"a3a995ef7b88605a08771d2f4e32ee2ec9df6ba90de0f8c903060c6d405a6bc2e5c1e6a9b8e58e4a38371dfc7fa36036",
		),
		fromHex(
			"8cceae51e1f42bd14178cc763b43ce32b9436fa7c30dcf9d2e6869069b7537e63e605b9a82cd92710aa5ebdcd5966428",
		),
		fromHex(
			"a0990bbd130ad46d50a642758311ed55ee595c573789564a2826ef2f1438996459e919eaa808794c9f11985e09a06ba9",
		),
	],
};

export const DEVELOPMENT_OUTPUT_KEY: VerifyingKey = {
	alpha: fromHex(
		"8455f4aa17e6f859c8e8df3bed7941798b9db174d92487826365981f1a413b4a10409c42c9325d0a0bc94d8a462a80fc",
	),
	beta: fromHex(
		"9172b19c63df8b1584a46a5ea730e404a70052eee716d9cbdb77e9f099657174b2a18bbae2f02e57033d24cfaa47dbfe125d466ff3a6d1f1918e2871b1e8c4e46a6e2ca7e72993c24a689c77e45d20a0658df94dbf8b135027c6064e0a9a1e3c",
	),
	gamma: fromHex(
		"92289ba39f91d3f791103ee64aac5d9c4fe343aaa61a4727a842879634bcbbccb1be1a59e0637fc8d78b245339accb97058832fe78829a93f4c1986620fd0f2636467e49c0486f8c0ca0ead0175a69c6f4dc7b03235aafc6e01181c01e229b7c",
	),
	delta: fromHex(
		"b7ec162a2f08dc8334aabd8fad7b6eccad56dc6786118e4056b0d9e1b67fe8867013413cbb10e84cc0974567aed841ad01578708fb21381ae7bc15df265ccc7c1625b651eb8bcaa4aa9f80cbc54129c4b011b2ab3b895fe2ccb356ef43c64cbd",
	),
	inputs: [
		fromHex(
			"91ed7f7b866afa245f648428b014a9ed46149d99100814c2c5006556e36f432751026ca0d7c1dd21306d1e39f2886e17",
		),
		fromHex(
			"9072cf2ac38c7aa67c8b72cbc2075e3c533cb183313b0809c86b4b9e9ec35eeef2b32f15bf868773fe265ae47324bea1",
		),
		fromHex(
			"8f48b8fa4540e059bc45f7229516072ccea9ee1230e4b2a4b8e990738d2cc163064a73dd843f26f0b1785d8ed5f90153",
		),
		fromHex(
			"b07cfc0adf200a190fb57efb9ea8cb8e2ea36fd3b0a2e25bf211f0d5f10724a1f66e4ef398e29ca5d4bd798cc189fb36",
		),
		fromHex(
			"931932c578733fe5b654579d2a403e01e4786da8213fcf2d654d7039940da5d7cf8a021ec034bd87c4209b97860a8fad",
		),
		fromHex(
			"95c9dae0c9b5643a82caae7cae378164efbc80ce431c89a8b2694cc9b15f3c06e41ca13a4736b48e8868b828a6c6ad7c",
		),
	],
};

export const DEVELOPMENT_PROOF_KEYS: ProofKeys = {
	spendKey: DEVELOPMENT_SPEND_KEY,
	outputKey: DEVELOPMENT_OUTPUT_KEY,
};

interface Checks {
	readonly spend: ProofCheck;
	readonly output: ProofCheck;
}

const checksOf = (groth16: Groth16): Checks => ({
	spend: groth16.prepare(DEVELOPMENT_SPEND_KEY),
	output: groth16.prepare(DEVELOPMENT_OUTPUT_KEY),
});

/** @param load loads the faster library, which replaces the portable one once it is ready */
export function developmentVerifier(load: () => Promise<Groth16> = loadGroth16): SaplingVerifier {
	let checks: Checks | undefined;
	const current = (): Checks => {
		if (!checks) {
			checks = checksOf(portableGroth16);
			// On failure the portable library stays in use; its results are the same.
			load().then(
				(groth16) => {
					checks = checksOf(groth16);
				},
				() => undefined,
			);
		}
		return checks;
	};
	return new SaplingVerifier(
		(...question) => current().spend(...question),
		(...question) => current().output(...question),
	);
}
