// SPDX-License-Identifier: Apache-2.0
// Usage: node fill_azurite.mjs MODULES CONNECTION FOLDER
// Waits for Azurite, creates the container "lake" with the files of FOLDER below "spark/", and prints a shared access signature
// to read it. MODULES is the folder of Azurite's packages, among which is Azure's SDK.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, connection, folder] = process.argv.slice(2);
const azure = createRequire(join(modules, 'azurite', 'package.json'))('@azure/storage-blob');
const service = azure.BlobServiceClient.fromConnectionString(connection, { retryOptions: { maxTries: 20, retryDelayInMs: 500 } });
const container = service.getContainerClient('lake');
await container.create();
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = join(entry.parentPath ?? entry.path, entry.name);
  await container.getBlockBlobClient(`spark/${path.slice(folder.length + 1)}`).uploadData(readFileSync(path));
}
await container.getBlockBlobClient('sparkling/app-1').uploadData(Buffer.from('another'));
const expiresOn = new Date(Date.now() + 3600e3);
const url = await container.generateSasUrl({ permissions: azure.ContainerSASPermissions.parse('rl'), expiresOn });
console.log(url.slice(url.indexOf('?') + 1));
