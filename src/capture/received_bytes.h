// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace sparkprof {

// Bytes that a process received over TCP, from the kernel's socket counters (sock_diag(7), Linux 4.1 and later). Bytes
// that a socket receives between the last reading and its close are missing. Not thread-safe.
class ReceivedBytes {
 public:
  explicit ReceivedBytes(int64_t pid) : pid_(pid) {}

  // Bytes since construction, including what open sockets had received before. nullopt = the kernel does not respond.
  std::optional<int64_t> Read();

 private:
  const int64_t pid_;
  std::map<uint64_t, int64_t> last_;  // open sockets, by cookie
  int64_t closed_ = 0;                // bytes of closed sockets
};

}  // namespace sparkprof
