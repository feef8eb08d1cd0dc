// SPDX-License-Identifier: Apache-2.0
// Other users of the hosts of a stage's tasks while they ran, where a monitor recorded it.
import type { Neighbor } from '../../data/contract.ts';
import { amount } from '../../state/format.ts';

export function StageNeighbors({ neighbors }: { neighbors: Neighbor[] }) {
  return (
    <section aria-label="Other processes on the hosts">
      <h2 class="section-title">Other processes on the hosts</h2>
      <div class="neighbors">
        <table class="plain">
          <thead>
            <tr>
              <th class="text">Host</th>
              <th class="text">Application or process</th>
              <th class="text">User</th>
              <th>Processes</th>
              <th>Cores, mean</th>
              <th>Cores of the host</th>
              <th>Disk per second</th>
            </tr>
          </thead>
          <tbody>
            {neighbors.map(({ host, application, user, name, processes, cores, hostCores, diskBytesPerSecond }, i) => (
              <tr key={i}>
                <td class="text">{host}</td>
                <td class="text">{application || name}</td>
                <td class="text">{user}</td>
                <td>{processes}</td>
                <td>{cores.toFixed(2)}</td>
                <td>{hostCores > 0 ? hostCores : '–'}</td>
                <td>{amount(diskBytesPerSecond, 'bytes')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="quiet note">They are not part of the application. No sum of this report includes them.</p>
    </section>
  );
}
