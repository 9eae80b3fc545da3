// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "tronbox/console.sol";
import "./Shares.sol";

/// People put coins into a pot; whoever opened it empties it once the time has come.
contract Pot {
    address public immutable opener;
    uint256 public immutable opensAt;
    uint256 public least;
    mapping(address => uint256) public given;

    event Given(address indexed by, uint256 amount, string note);
    event Emptied(address indexed to, uint256 amount);

    error TooLittle(uint256 amount, uint256 least);
    error TooEarly(uint256 nowAt, uint256 opensAt);

    constructor(uint256 least_, uint256 opensAt_) payable {
        opener = msg.sender;
        least = least_;
        opensAt = opensAt_;
    }

    function give(string calldata note) external payable {
        if (msg.value < least) revert TooLittle(msg.value, least);
        console.log("given", msg.sender, msg.value);
        given[msg.sender] += msg.value;
        emit Given(msg.sender, msg.value, note);
    }

    function share(address who) external view returns (uint256) {
        return Shares.percentOf(given[who], address(this).balance);
    }

    function greet() external view returns (uint256) {
        console.log("the pot greets");
        return 7;
    }

    function empty(address payable to) external {
        require(msg.sender == opener, "only the opener");
        if (block.timestamp < opensAt) revert TooEarly(block.timestamp, opensAt);
        uint256 amount = address(this).balance;
        (bool sent, ) = to.call{value: amount}("");
        require(sent, "not taken");
        emit Emptied(to, amount);
    }
}
