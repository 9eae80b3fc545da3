const Shares = artifacts.require("Shares");
const Pot = artifacts.require("Pot");

const DAY_SECONDS = 86_400;

module.exports = async (deployer) => {
	await deployer.deploy(Shares);
	await deployer.link(Shares, Pot);
	const { block_header } = await tronWeb.trx.getCurrentBlock();
	const opensAt = Math.floor(block_header.raw_data.timestamp / 1000) + DAY_SECONDS;
	await deployer.deploy(Pot, 1_000_000, opensAt, { callValue: 5 });
};
