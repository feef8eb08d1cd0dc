// SPDX-License-Identifier: Apache-2.0
#include "capture/received_bytes.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/io/file.h"

namespace sparkprof {
namespace {

constexpr uint32_t kEstablished = 1, kCloseWait = 8;  // enum values of the kernel's net/tcp_states.h
// Offset of tcpi_bytes_received in struct tcp_info, which older headers lack.
constexpr size_t kBytesReceivedOffset = 128;
constexpr time_t kMaxSeconds = 1;  // timeout for the kernel's response

struct Socket {
  uint64_t cookie = 0;  // never reused
  int64_t received_bytes = 0;
};
using SocketsByInode = std::map<uint64_t, Socket>;

std::set<uint64_t> InodesOf(int64_t pid) {
  std::set<uint64_t> inodes;
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(pid) + "/fd", error);
  if (error) return inodes;
  for (auto file = files; file != std::filesystem::directory_iterator(); file.increment(error)) {
    struct stat status {};
    if (stat(file->path().c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) inodes.insert(status.st_ino);
    if (error) break;
  }
  return inodes;
}

bool Ask(int netlink, uint8_t family) {
  struct {
    nlmsghdr header{};
    inet_diag_req_v2 request{};
  } message;
  message.header.nlmsg_len = sizeof message;
  message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message.request.sdiag_family = family;
  message.request.sdiag_protocol = IPPROTO_TCP;
  message.request.idiag_ext = 1 << (INET_DIAG_INFO - 1);
  message.request.idiag_states = 1U << kEstablished | 1U << kCloseWait;
  return send(netlink, &message, sizeof message, 0) == sizeof message;
}

void AddSocket(const nlmsghdr* header, const std::set<uint64_t>& inodes, SocketsByInode* sockets) {
  if (header->nlmsg_len < NLMSG_LENGTH(sizeof(inet_diag_msg))) return;
  const auto* socket = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
  if (!inodes.contains(socket->idiag_inode)) return;
  auto size = static_cast<int>(header->nlmsg_len - NLMSG_LENGTH(sizeof *socket));
  for (auto* part = reinterpret_cast<const rtattr*>(socket + 1); RTA_OK(part, size); part = RTA_NEXT(part, size)) {
    int64_t received = 0;
    if (part->rta_type != INET_DIAG_INFO || RTA_PAYLOAD(part) < kBytesReceivedOffset + sizeof received) continue;
    std::memcpy(&received, static_cast<const char*>(RTA_DATA(part)) + kBytesReceivedOffset, sizeof received);
    const uint64_t cookie = static_cast<uint64_t>(socket->id.idiag_cookie[1]) << 32 | socket->id.idiag_cookie[0];
    (*sockets)[socket->idiag_inode] = {cookie, received};
  }
}

// Returns false if the kernel does not respond.
bool AddSockets(int netlink, uint8_t family, const std::set<uint64_t>& inodes, SocketsByInode* sockets) {
  if (!Ask(netlink, family)) return false;
  alignas(nlmsghdr) std::array<char, 64 << 10> buffer;
  for (;;) {
    const ssize_t got = recv(netlink, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    auto left = static_cast<uint32_t>(got);
    for (auto* header = reinterpret_cast<const nlmsghdr*>(buffer.data()); NLMSG_OK(header, left);
         header = NLMSG_NEXT(header, left)) {
      if (header->nlmsg_type == NLMSG_DONE) return true;
      if (header->nlmsg_type == NLMSG_ERROR) return false;
      AddSocket(header, inodes, sockets);
    }
  }
}

}  // namespace

std::optional<int64_t> ReceivedBytes::Read() {
  const FileDescriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink.IsOpen()) return std::nullopt;
  const timeval most{kMaxSeconds, 0};
  setsockopt(netlink.Get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  const std::set<uint64_t> inodes = InodesOf(pid_);
  SocketsByInode sockets;
  if (!AddSockets(netlink.Get(), AF_INET, inodes, &sockets)) return std::nullopt;
  AddSockets(netlink.Get(), AF_INET6, inodes, &sockets);
  std::map<uint64_t, int64_t> open;
  for (const auto& [inode, socket] : sockets) open[socket.cookie] = socket.received_bytes;
  for (const auto& [cookie, bytes] : last_) {
    if (!open.contains(cookie)) closed_ += bytes;
  }
  last_ = std::move(open);
  int64_t total = closed_;
  for (const auto& [cookie, bytes] : last_) total += bytes;
  return total;
}

}  // namespace sparkprof
