/** What a contract's file is called unless somebody says otherwise. */
export const contractFileName = "mcp.contract.yaml";
