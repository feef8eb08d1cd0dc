// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace sparkprof {

// Bytes that a process has received over TCP, by the kernel's own counters of its sockets (sock_diag(7), Linux 4.1 and
// later). What a socket received after the last reading before it was closed is missing. Not thread-safe.
class ReceivedBytes {
 public:
  explicit ReceivedBytes(int64_t pid) : pid_(pid) {}

  // Since the object was made, including what open sockets had received before. Nothing = the kernel does not answer.
  std::optional<int64_t> Read();

 private:
  const int64_t pid_;
  std::map<uint64_t, int64_t> last_;  // open sockets by their cookie
  int64_t closed_ = 0;                // of sockets that are closed
};

}  // namespace sparkprof
