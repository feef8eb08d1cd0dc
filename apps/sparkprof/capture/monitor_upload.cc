// SPDX-License-Identifier: Apache-2.0
#include "capture/monitor_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/text/quantity.h"
#include "model/segment/block.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kUploadBytes = size_t{4} << 20;
constexpr std::chrono::seconds kFirstPause{2};
constexpr std::chrono::seconds kLongestPause{60};
constexpr std::chrono::seconds kMaxTimeToEndUpload{10};

// Oldest first.
std::vector<fs::path> RecordingsIn(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code no_time;
    if (entry.path().extension() == ".sprof") files.emplace_back(entry.last_write_time(no_time), entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<fs::path> paths;
  for (auto& [time, path] : files) paths.push_back(std::move(path));
  return paths;
}

}  // namespace

Result<std::unique_ptr<MonitorUpload>> MonitorUpload::Create(const CollectorOptions& server, const std::string& folder,
                                                             const std::string& spool_size) {
  const Result<int64_t> bytes = ParseBytes(spool_size);
  if (!bytes) return Fail(Refusal("--spool-size", spool_size, bytes.error()));
  if (*bytes < 2 * kFileBytes) return Fail("--spool-size: must be at least 8m");
  Result<ServerClient> client = ServerClient::Create(server);
  if (!client) return tl::unexpected(client.error());
  return std::unique_ptr<MonitorUpload>(new MonitorUpload(std::move(*client), folder, *bytes));
}

MonitorUpload::MonitorUpload(ServerClient client, std::string folder, int64_t max_bytes)
    : client_(std::move(client)), folder_(std::move(folder)), max_bytes_(max_bytes), thread_([this] { Run(); }) {}

MonitorUpload::~MonitorUpload() { Finish(); }

void MonitorUpload::Wake(const std::string& current) {
  const std::lock_guard lock(mutex_);
  current_ = current;
  has_more_ = true;
  wake_.notify_all();
}

void MonitorUpload::Finish() {
  {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    current_.clear();
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void MonitorUpload::Run() {
  task_.NameThread();
  std::chrono::seconds pause = kFirstPause;
  std::unique_lock lock(mutex_);
  std::optional<std::chrono::steady_clock::time_point> deadline;
  for (;;) {
    wake_.wait(lock, [this] { return has_more_ || is_ending_; });
    if (is_ending_ && !deadline) deadline = std::chrono::steady_clock::now() + kMaxTimeToEndUpload;
    const bool is_last = is_ending_;
    has_more_ = false;
    const std::string current = current_;
    lock.unlock();
    bool is_sent = false;
    if (!task_.Attempt([&] { is_sent = SendAll(current); })) {
      (void)Guarded([&]() -> Result<void> {
        Complain(fmt::format("sending failed: {}; the recording waits in {}", task_.Get().problem, folder_));
        return {};
      });
    }
    lock.lock();
    if (is_sent) {
      pause = kFirstPause;
      if (is_last) return;
      continue;
    }
    has_more_ = true;
    if (deadline && std::chrono::steady_clock::now() + kFirstPause > *deadline) return;
    const bool was_ending = is_ending_;
    wake_.wait_for(lock, deadline ? kFirstPause : pause, [&] { return is_ending_ && !was_ending; });
    pause = std::min(pause * 2, kLongestPause);
  }
}

bool MonitorUpload::SendAll(const std::string& current) {
  bool is_sent = true;
  for (const fs::path& path : RecordingsIn(folder_)) {
    is_sent = SendFile(path.string(), path.string() == current);
    if (!is_sent) break;
  }
  DropOldest(current);
  return is_sent;
}

bool MonitorUpload::SendFile(const std::string& path, bool is_current) {
  size_t& sent = sent_[path];
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return true;  // removed meanwhile
  const std::string_view rest = file->Bytes().substr(std::min(sent, file->Bytes().size()));
  std::string body;
  size_t end = 0;  // end in `rest` of the blocks in `body`
  bool is_taken = true;
  const auto flush = [&] {
    is_taken = is_taken && (body.empty() || Post(body));
    if (is_taken) sent += std::exchange(end, 0);
    body.clear();
  };
  size_t begin = 0;
  if (!rest.empty()) {
    const auto status = ReadBlocksInPlace(rest, path, [&](BlockInPlace&& block) {
      if (!is_taken) return;
      body += block.bytes;
      end = block.offset + block.bytes.size() - begin;
      if (body.size() < kUploadBytes) return;
      begin = block.offset + block.bytes.size();
      flush();
    });
    flush();
    if (!status) Complain(status.error().message);
  }
  if (!is_taken) return false;
  if (is_current) return true;
  std::error_code error;
  fs::remove(path, error);
  sent_.erase(path);
  return true;
}

bool MonitorUpload::Post(std::string_view body) {
  const Result<HttpResponse> response =
      client_.Send("POST", "/recordings", body, {{"content-type", "application/octet-stream"}});
  if (response && response->status == 200) {
    if (!problem_.empty()) Complain("the collector receives recordings again");
    problem_.clear();
    return true;
  }
  const std::string problem = response ? ServerClient::Describe(*response) : response.error().message;
  if (problem != problem_) Complain(fmt::format("{}; the recording waits in {}", problem, folder_));
  problem_ = problem;
  return false;
}

void MonitorUpload::DropOldest(const std::string& current) {
  int64_t bytes = 0;
  std::error_code error;
  const std::vector<fs::path> paths = RecordingsIn(folder_);
  for (const fs::path& path : paths) bytes += static_cast<int64_t>(fs::file_size(path, error));
  for (const fs::path& path : paths) {
    if (bytes <= max_bytes_) return;
    if (path.string() == current) continue;
    const auto size = static_cast<int64_t>(fs::file_size(path, error));
    if (!fs::remove(path, error)) continue;
    if (dropped_bytes_ == 0) Complain(fmt::format("the spool is full: the oldest data in {} is dropped", folder_));
    bytes -= size;
    dropped_bytes_ += size - static_cast<int64_t>(sent_[path.string()]);
    sent_.erase(path.string());
  }
}

}  // namespace sparkprof
