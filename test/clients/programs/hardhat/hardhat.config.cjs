require("@nomicfoundation/hardhat-ethers");
const places = JSON.parse(process.env.COIN_PLACES);
module.exports = { solidity: "0.8.29", networks: { coin: { url: places.jsonrpc } } };
