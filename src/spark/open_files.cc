// SPDX-License-Identifier: Apache-2.0
#include "spark/open_files.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/io/file.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::string LinkTarget(const std::string& path) {
  char target[4096];
  const ssize_t size = readlink(path.c_str(), target, sizeof target);
  return size <= 0 ? "" : std::string(target, static_cast<size_t>(size));
}

// "spark-core_2.13-4.1.1.jar" → "4.1.1".
std::string VersionOfCoreJar(const std::string& name) {
  if (!name.starts_with("spark-core_") || !name.ends_with(".jar")) return {};
  const size_t dash = name.find('-', std::string_view("spark-core_").size());
  return dash == std::string::npos ? "" : name.substr(dash + 1, name.size() - dash - 1 - 4);
}

// The application of an event log in progress: "local-1700000000000.inprogress", or for a rolled log
// "events_1_app-20261121160000-0001.zstd".
std::string ApplicationOfEventLog(const std::string& path) {
  constexpr std::string_view kInProgress = ".inprogress", kPiece = "events_";
  std::string name = FileNameOf(path);
  const bool is_piece = name.starts_with(kPiece);
  if (is_piece) name.erase(0, std::min(name.find('_', kPiece.size()), name.size() - 1) + 1);
  if (name.ends_with(kInProgress)) {
    name.erase(name.size() - kInProgress.size());
  } else if (!is_piece) {
    return {};
  }
  for (const std::string_view codec : {".zstd", ".lz4", ".lzf", ".snappy"}) {
    if (name.ends_with(codec)) name.erase(name.size() - codec.size());
  }
  for (const std::string_view start : {"local-", "app-", "application_", "spark-"}) {
    if (name.starts_with(start)) return name;
  }
  return {};
}

constexpr std::string_view kListening = "0A";
constexpr std::string_view kEstablished = "01";

// TCP sockets in a state, in a process's network namespace. Format: proc(5), /proc/net/tcp.
template <typename OnSocket>
void ForEachSocket(const std::string& process_folder, std::string_view state, const OnSocket& on_socket) {
  constexpr size_t kLocalAddress = 1, kState = 3, kInode = 9;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    const auto text = ReadFile(process_folder + table);
    if (!text) continue;
    for (const std::string_view line : Split(*text, '\n')) {
      std::vector<std::string_view> fields;
      for (const std::string_view field : Split(line, ' ')) {
        if (!field.empty()) fields.push_back(field);
      }
      if (fields.size() <= kInode || fields[kState] != state) continue;
      on_socket(ParseInteger(fields[kInode]).value_or(0), fields[kLocalAddress]);
    }
  }
}

}  // namespace

std::vector<std::string> ListFolder(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) names.emplace_back(entry->d_name);
  return names;
}

std::string FileNameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

OpenFiles LookAtOpenFiles(const std::string& process_folder) {
  OpenFiles found;
  constexpr std::string_view kSocket = "socket:[";
  for (const std::string& fd : ListFolder(process_folder + "/fd")) {
    const std::string target = LinkTarget(process_folder + "/fd/" + fd);
    if (target.starts_with(kSocket)) {
      found.sockets.insert(
          ParseInteger(std::string_view(target).substr(kSocket.size(), target.size() - kSocket.size() - 1))
              .value_or(0));
      continue;
    }
    if (found.spark_version.empty()) found.spark_version = VersionOfCoreJar(FileNameOf(target));
    if (found.application_id.empty()) found.application_id = ApplicationOfEventLog(target);
  }
  return found;
}

std::set<int64_t> ListeningPorts(const std::string& process_folder, const std::set<int64_t>& sockets) {
  std::set<int64_t> ports;
  ForEachSocket(process_folder, kListening, [&](int64_t inode, std::string_view local_address) {
    if (!sockets.contains(inode)) return;
    const std::string_view port = local_address.substr(local_address.rfind(':') + 1);
    int64_t number = 0;
    if (std::from_chars(port.data(), port.data() + port.size(), number, 16).ec == std::errc()) ports.insert(number);
  });
  return ports;
}

std::set<int64_t> EstablishedSockets(const std::string& process_folder) {
  std::set<int64_t> sockets;
  ForEachSocket(process_folder, kEstablished, [&](int64_t inode, std::string_view) { sockets.insert(inode); });
  return sockets;
}

}  // namespace sparkprof
