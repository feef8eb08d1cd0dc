// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "base/cancellation.h"
#include "base/io/file.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "capture/recording_options.h"
#include "http/http_client.h"
#include "inputs/input_options.h"
#include "inputs/remote_options.h"
#include "inputs/server_options.h"
#include "mcp/input_applications.h"
#include "mcp/mcp_server.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct McpOptions {
  std::vector<std::string> inputs;
  std::string server;
  bool skill = false;
  std::string skill_file = "SKILL.md";
  std::string source;
  InputOptions input;
};

using AnswerMessage = std::function<std::optional<std::string>(const McpMessage& message)>;

// Processes protocol messages, one per line. A separate thread answers tool calls in order, so that the client's pings
// and cancellations are read meanwhile.
class StdioLoop {
 public:
  explicit StdioLoop(AnswerMessage answer) : answer_(std::move(answer)) {}

  // Runs until the end of standard input, then answers pending calls.
  int Run() {
    std::thread worker([this] { Work(); });
    const bool is_read = Read();
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    worker.join();
    return is_read ? kExitSuccess : Complain("cannot read standard input");
  }

 private:
  bool Read() {
    std::string line;
    std::optional<MessageIdFinder> oversized;  // ID of a line that is too long
    char piece[1 << 16];
    for (;;) {
      const ssize_t size = read(STDIN_FILENO, piece, sizeof(piece));
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        if (oversized) Take(OversizedMessage(oversized->Id()));
        if (!line.empty()) Take(ParseMcpMessage(line));
        return size == 0;
      }
      for (std::string_view rest(piece, static_cast<size_t>(size)); !rest.empty();) {
        const size_t end = rest.find('\n');
        const std::string_view part = rest.substr(0, end);
        if (!oversized && line.size() + part.size() > kMaxMessageBytes) {
          oversized.emplace().Add(line);
          line.clear();
        }
        if (oversized) {
          oversized->Add(part);
        } else {
          line += part;
        }
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
        if (oversized) {
          Take(OversizedMessage(oversized->Id()));
        } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
          Take(ParseMcpMessage(line));
        }
        line.clear();
        oversized.reset();
      }
    }
  }

  void Take(McpMessage message) {
    if (message.kind == McpMessageKind::kNotification && message.method == "notifications/cancelled") {
      Cancel(CancelledRequest(message));
      Write(answer_(message));
    } else if (message.kind == McpMessageKind::kRequest && message.method == "tools/call") {
      {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(message));
      }
      changed_.notify_one();
    } else {
      Write(answer_(message));
    }
  }

  // A canceled call gets no response. A running call ends at its next step.
  void Cancel(const std::string& id) {
    const std::lock_guard lock(mutex_);
    if (running_ == id && work_ != nullptr) {
      running_.clear();
      work_->Cancel();
    }
    std::erase_if(waiting_, [&](const McpMessage& one) { return one.id == id; });
  }

  void Work() {
    for (;;) {
      McpMessage message;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        message = std::move(waiting_.front());
        waiting_.pop_front();
        running_ = message.id;
      }
      Write(AnswerUnlessCanceled(message));
    }
  }

  std::optional<std::string> AnswerUnlessCanceled(const McpMessage& message) {
    std::optional<std::string> response;
    {
      Cancellation work;
      {
        const std::lock_guard lock(mutex_);
        work_ = &work;
      }
      try {
        response = answer_(message);
      } catch (const Cancellation::Canceled&) {
      }
      const std::lock_guard lock(mutex_);
      work_ = nullptr;
    }
    const std::lock_guard lock(mutex_);
    if (running_ != message.id) response.reset();
    running_.clear();
    return response;
  }

  void Write(const std::optional<std::string>& response) {
    if (!response) return;
    const std::lock_guard lock(output_);
    // Ignores errors: without a reader there is nobody to report to.
    (void)WriteAll(STDOUT_FILENO, *response + "\n", "standard output");
  }

  const AnswerMessage answer_;
  std::mutex output_;
  std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  std::deque<McpMessage> waiting_;
  std::string running_;           // ID of the current call; empty = none, or canceled
  Cancellation* work_ = nullptr;  // cancellation of the current call
  bool ended_ = false;
};

// A session at a collector's /mcp, with its tokens and access lists. Thread-safe.
class CollectorSession {
 public:
  CollectorSession(std::string address, Url url, const RemoteAccess& access)
      : address_(std::move(address)), url_(std::move(url)), access_(access) {}

  std::optional<std::string> Answer(const McpMessage& message) {
    if (message.kind == McpMessageKind::kInvalid)
      return ErrorResponseTo(message.id, message.error_code, message.problem);
    const bool is_request = message.kind == McpMessageKind::kRequest;
    if (!is_request && message.method != "notifications/cancelled") return std::nullopt;
    const Result<HttpResponse> response = Send(message);
    if (!is_request) return std::nullopt;
    if (!response) return ErrorResponseTo(message.id, kInternalError, response.error().message);
    if (response->status != 200) {
      return ErrorResponseTo(message.id, kInternalError,
                             fmt::format("{}: {}", address_, ServerClient::Describe(*response)));
    }
    if (message.method == "initialize") {
      const std::lock_guard lock(mutex_);
      session_ = response->Header("mcp-session-id");
    }
    return std::string(Trim(response->Body()));
  }

 private:
  Result<HttpResponse> Send(const McpMessage& message) {
    // The collector may have to read a large application first. Notifications are accepted immediately.
    constexpr std::chrono::minutes kTimeout{10};
    constexpr std::chrono::seconds kNoticeTimeout{5};
    const bool is_request = message.kind == McpMessageKind::kRequest;
    HttpHeaders headers{{"content-type", "application/json"}, {"accept", "application/json, text/event-stream"}};
    if (!access_.token.empty()) headers.emplace_back("authorization", "Bearer " + access_.token);
    {
      const std::lock_guard lock(mutex_);
      if (!session_.empty()) headers.emplace_back("mcp-session-id", session_);
    }
    JsonWriter json;
    json.BeginObject().Member("jsonrpc", "2.0");
    if (is_request) json.Key("id").Raw(message.id);
    json.Member("method", message.method).Key("params").Raw(message.params).EndObject();
    HttpClientOptions options{.timeout = kTimeout, .certificate_authorities = access_.certificate_authorities};
    if (!is_request) options.timeout = kNoticeTimeout;
    return SendHttp("POST", url_, headers, json.Text(), options);
  }

  const std::string address_;
  const Url url_;
  const RemoteAccess access_;
  std::mutex mutex_;
  std::string
      session_;  // guarded by `mutex_`; empty before the client's first message, and for collectors without sessions
};

Result<AnswerMessage> ForwardTo(const std::string& server) {
  const std::string address = server + (server.ends_with('/') ? "mcp" : "/mcp");
  Result<Url> url = ParseUrl(address);
  if (!url) return Fail("--server: " + url.error().message);
  const Result<RemoteAccess> access = AccessOfOptions();
  if (!access) return tl::unexpected(access.error());
  const auto session = std::make_shared<CollectorSession>(address, std::move(*url), *access);
  return [session](const McpMessage& message) { return session->Answer(message); };
}

int RunMcp(const McpOptions& options, const CLI::App& command) {
  if (options.skill) {
    const Result<void> written = WriteOutput(options.skill_file, SkillText());
    return written ? kExitSuccess : Complain(written.error().message);
  }
  if (options.server.empty() == options.inputs.empty()) {
    return Misuse(command, options.server.empty() ? "missing input: name recordings, logs or folders, or --server"
                                                  : "--server answers about its own applications: name no input");
  }
  if (!options.server.empty()) {
    const Result<AnswerMessage> forward = ForwardTo(options.server);
    return forward ? StdioLoop(*forward).Run() : Complain(forward.error().message);
  }
  const Result<std::optional<LogZone>> zone = options.input.Zone();
  if (!zone) return Complain(zone.error().message);
  for (const std::string& input : options.inputs) {
    if (access(input.c_str(), R_OK) != 0) return Complain(SystemError(input, "cannot read").message);
  }
  InputApplications applications(
      options.inputs, {.limits = options.input.Limits(), .event_logs = options.input.EventLog(), .zone = *zone},
      options.source);
  const McpServer server(&applications);
  return StdioLoop([&server](const McpMessage& message) { return server.Answer(message); }).Run();
}

}  // namespace

std::function<int()> DefineMcp(CLI::App& command) {
  const auto options = std::make_shared<McpOptions>();
  command.add_option("INPUT", options->inputs,
                     "Files, folders and archives: recordings, event logs, driver and executor logs, profiler records");
  AddOption(command, "--server URL", &options->server, "URL of `sparkprof serve`; answer about its applications");
  command.add_flag("--skill", options->skill, "Write a skill file for agents instead: SKILL.md in the current folder");
  AddOption(command, "-o,--output FILE", &options->skill_file, "Output file; the skill file, - is standard output")
      ->capture_default_str();
  AddOption(command, "--source DIR", &options->source,
            "Folder with the source code of the job; the tool source shows its lines")
      ->check(CLI::ExistingDirectory);
  options->input.AddTo(command);
  AcceptUrls(command, &options->inputs);
  command.footer(
      "Serves the Model Context Protocol on standard input and output, for agents: eight read-only tools that find,\n"
      "diagnose, explain and compare applications.\n"
      "Examples:\n"
      "  sparkprof mcp eventlogs/ driver.log\n"
      "  sparkprof mcp http://collector:8320/applications/application_1603128018386_7846\n"
      "  sparkprof mcp --server http://collector:8320 --token-file token\n"
      "  sparkprof mcp --skill -o .skills/sparkprof/SKILL.md");
  return [options, &command] { return RunMcp(*options, command); };
}

}  // namespace sparkprof
