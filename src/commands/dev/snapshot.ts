import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";

export default class DevSnapshot extends DevelopmentCommand {
	static override summary = "Take a snapshot of a development chain and print its id";
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(DevSnapshot);
		const id = String(await this.change(flags, "dev_snapshot", []));
		if (!this.json) this.note(`took the snapshot ${id}: coin dev revert ${id} goes back to it, once`);
		this.printScalar(id);
	}
}
