/** The part of EIP-4844's trusted setup needed to verify a proof. */

/**
 * [τ]G2, compressed: the second of `g2_monomial` in `trusted_setup_4096.json` of the public specifications
 * (ethereum/consensus-specs, `presets/mainnet/trusted_setups`).
 */
export const TAU_G2 =
	"b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72" +
	"185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

/** Generators of both groups, compressed (draft-irtf-cfrg-pairing-friendly-curves, §4.2.1). */
export const GENERATOR_G1 =
	"97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";

export const GENERATOR_G2 =
	"93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e" +
	"024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";
