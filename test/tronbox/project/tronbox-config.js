// The network that the tool proposes for a chain on this machine; only its port varies.
module.exports = {
	networks: {
		development: {
			privateKey: "0000000000000000000000000000000000000000000000000000000000000001",
			userFeePercentage: 0,
			feeLimit: 1000 * 1e6,
			fullHost: process.env.GATEWAY || "http://127.0.0.1:9090",
			network_id: "9",
		},
	},
	compilers: { solc: { version: "0.8.29", settings: { optimizer: { enabled: true, runs: 200 } } } },
};
