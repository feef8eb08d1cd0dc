// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "event_applications.h"
#include "input_options.h"
#include "model/block.h"
#include "profile_input.h"
#include "progress.h"
#include "recording/recording_reader.h"
#include "recording/recording_writer.h"
#include "server_options.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBodyBytes = size_t{8} << 20;
constexpr int kTries = 5;
constexpr int64_t kMaxRetrySeconds = 60;

struct PushOptions {
  std::vector<std::string> paths;
  InputOptions input;
  CollectorOptions server;
};

// Sends blocks in bodies of some megabytes, and again while the server is busy or away.
class Sender {
 public:
  explicit Sender(ServerClient client) : client_(std::move(client)) {}

  Result<void> Add(std::string_view block) {
    if (!body_.empty() && body_.size() + block.size() > kBodyBytes) {
      if (Result<void> sent = Flush(); !sent) return sent;
    }
    body_ += block;
    ++blocks_;
    return {};
  }

  Result<void> Flush() {
    if (body_.empty()) return {};
    for (int attempt = 1;; ++attempt) {
      const Result<HttpResponse> response =
          client_.Send("POST", "/recordings", body_, {{"content-type", "application/octet-stream"}});
      if (response && response->status == 200) break;
      // A server that never answered is not the right one, or its certificate is not trusted.
      const bool may_help = response ? response->status == 429 || response->status >= 500 : bytes_ > 0;
      const std::string problem = response ? ServerClient::Describe(*response) : response.error().message;
      if (!may_help || attempt == kTries) return Fail(problem);
      const std::optional<int64_t> wait = response ? ParseInteger(response->Header("retry-after")) : std::nullopt;
      const int64_t seconds = std::clamp<int64_t>(wait.value_or(int64_t{1} << attempt), 0, kMaxRetrySeconds);
      Complain(fmt::format("{}; again in {} s", problem, seconds));
      std::this_thread::sleep_for(std::chrono::seconds(seconds));
    }
    bytes_ += body_.size();
    body_.clear();
    return {};
  }

  uint64_t Blocks() const { return blocks_; }
  uint64_t Bytes() const { return bytes_; }

 private:
  ServerClient client_;
  std::string body_;
  uint64_t blocks_ = 0, bytes_ = 0;
};

// The blocks of one file, as they are.
Result<void> SendRecording(const std::string& path, Sender* sender) {
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  Result<void> sent;
  const Result<RecordingStatus> status = ReadBlocksInPlace(file->Bytes(), path, [&](BlockInPlace&& block) {
    if (sent) sent = sender->Add(block.was_redacted ? EncodeBlock(block.segment) : block.bytes);
  });
  if (!sent) return sent;
  if (!status) return tl::unexpected(status.error());
  if (status->damaged_blocks + status->skipped_bytes > 0) {
    Complain(fmt::format("skipped {} bytes with {} damaged blocks, the first: {}", status->skipped_bytes,
                         status->damaged_blocks, status->first_error));
  }
  if (status->cut_bytes > 0) {
    Complain(fmt::format("{}: truncated: skipped {} bytes of the last block", path, status->cut_bytes));
  }
  return {};
}

// The recordings at a path; empty if it has none.
Result<std::vector<std::string>> RecordingsAt(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return RecordingsBelow(path);
  return IsRecording(path, "") ? std::vector<std::string>{path} : std::vector<std::string>{};
}

Result<void> SendPath(const std::string& path, const PushOptions& options, Sender* sender) {
  const Result<std::vector<std::string>> files = RecordingsAt(path);
  if (!files) return tl::unexpected(files.error());
  if (!files->empty()) {
    for (const std::string& file : *files) {
      if (Result<void> sent = SendRecording(file, sender); !sent) return sent;
    }
    return {};
  }
  const Result<std::vector<Application>> applications = LoadApplications(options.input, {path});
  if (!applications) return tl::unexpected(applications.error());
  Result<void> sent;
  for (const Application& application : *applications) {
    WriteRecording(application, [&](std::string_view block) {
      if (sent) sent = sender->Add(block);
    });
  }
  return sent;
}

int RunPush(const PushOptions& options, const CLI::App& command) {
  Result<ServerClient> client = ServerClient::Create(options.server);
  if (!client) return Misuse(command, client.error().message);
  Sender sender(std::move(*client));
  const Progress progress(fmt::format("sending to {}", options.server.server));
  for (const std::string& path : options.paths) {
    if (const Result<void> sent = SendPath(path, options, &sender); !sent) return Complain(sent.error().message);
  }
  if (const Result<void> sent = sender.Flush(); !sent) return Complain(sent.error().message);
  Complain(fmt::format("sent {} blocks, {:.1f} MB", sender.Blocks(), static_cast<double>(sender.Bytes()) / 1e6));
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefinePush(CLI::App& command) {
  const auto options = std::make_shared<PushOptions>();
  command
      .add_option("PATH", options->paths,
                  "Recordings, or what `sparkprof analyze` reads: event logs, text logs, folders")
      ->required();
  options->server.AddTo(command);
  options->input.AddLimitsTo(command);
  options->input.AddThreadsTo(command);
  options->input.AddZoneTo(command);
  command.footer(
      "Sending the same recording again changes nothing.\n"
      "Examples:\n"
      "  sparkprof push sparkprof-output/recording.sprof --server http://127.0.0.1:8320\n"
      "  sparkprof push eventlogs/ --server https://sparkprof.example.org --token-file token");
  return [options, &command] { return RunPush(*options, command); };
}

}  // namespace sparkprof
