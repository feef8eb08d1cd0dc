// SPDX-License-Identifier: Apache-2.0
#include "capture/jvm_attach/attach_protocol.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/io/byte_source.h"
#include "base/text/text.h"
#include "capture/hsperfdata.h"
#include "capture/proc.h"
#include "capture/process_tree.h"

namespace sparkprof {
namespace {

constexpr size_t kArgumentCount = 3;       // arguments per request
constexpr size_t kMaxArgumentSize = 1024;  // AttachOperation::arg_length_max
constexpr size_t kMaxAnswerSize = size_t{256} << 20;
constexpr size_t kMaxPerformanceData = size_t{4} << 20;
constexpr int kFirstPauseMillis = 10;
constexpr int kLongestPauseMillis = 200;

std::string Name(const TargetProcess& target) { return "JVM " + std::to_string(target.pid); }

std::string SocketName(const TargetProcess& target) { return ".java_pid" + std::to_string(target.namespace_pid); }

void Pause(int millis) { poll(nullptr, 0, millis); }

// Connects to the JVM's socket in `folder`; sets errno if nothing listens.
FileDescriptor Connect(const TargetProcess& target, const FileDescriptor& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder.Get()) + "/" + SocketName(target);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  FileDescriptor socket_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const ActAs user(target);
  if (connect(socket_fd.Get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket_fd;
  return {};
}

// File that makes a JVM interpret SIGQUIT as an attach request. It must belong to the JVM's user.
class Trigger {
 public:
  Trigger(const TargetProcess& target, const FileDescriptor& folder)
      : folder_(folder), name_(".attach_pid" + std::to_string(target.namespace_pid)) {
    const ActAs user(target);
    // An existing file belongs to another request or was left behind. It works as well, and must not be removed.
    const FileDescriptor file(
        openat(folder.Get(), name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0660));
    created_ = file.IsOpen();
    error_ = created_ || errno == EEXIST ? 0 : errno;
  }
  ~Trigger() {
    if (created_) unlinkat(folder_.Get(), name_.c_str(), 0);
  }
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;

  int error() const { return error_; }

 private:
  const FileDescriptor& folder_;
  const std::string name_;
  bool created_ = false;
  int error_ = 0;
};

Error NoAnswer(const TargetProcess& target, int64_t timeout_ns) {
  const Result<ProcessStat> stat = ReadProcessStat(target.pid);
  const std::string waited = Name(target) + " did not open its attach socket within " + FormatDuration(timeout_ns);
  if (stat && (stat->state == 'T' || stat->state == 't')) {
    return {waited + ": it is stopped; resume it (kill -CONT " + std::to_string(target.pid) +
            ") or detach its debugger"};
  }
  return {waited + ": it may hang, wait for a safepoint, or be out of memory, or its socket was deleted: /tmp/" +
          SocketName(target) + " (then restart the JVM); use `kill -QUIT " + std::to_string(target.pid) +
          "` to print a thread dump to its output"};
}

Result<FileDescriptor> Listen(const TargetProcess& target, const AttachOptions& options) {
  const Result<FileDescriptor> folder = OpenFolderOf(target, "/tmp");
  if (!folder) return tl::unexpected(folder.error());
  if (FileDescriptor socket_fd = Connect(target, *folder); socket_fd.IsOpen()) return socket_fd;
  if (errno == EACCES || errno == EPERM) {
    return Fail(Name(target) +
                " belongs to another user; run sparkprof as that user or "
                "as root");
  }
  if (const std::string refusal = RefusalOf(target); !refusal.empty()) return Fail(Name(target) + " " + refusal);

  const Trigger trigger(target, *folder);
  if (trigger.error() != 0) {
    errno = trigger.error();
    return tl::unexpected(SystemError("/tmp of " + Name(target), "cannot request the attach socket"));
  }
  if (!IsAlive(target)) return Fail(Name(target) + " exited");
  if (kill(static_cast<pid_t>(target.pid), SIGQUIT) != 0) {
    return tl::unexpected(SystemError(Name(target), "cannot send it SIGQUIT"));
  }
  const int64_t deadline = MonotonicNanos() + options.listen_timeout_ns;
  for (int pause = kFirstPauseMillis; MonotonicNanos() < deadline; pause = std::min(2 * pause, kLongestPauseMillis)) {
    Pause(pause);
    if (FileDescriptor socket_fd = Connect(target, *folder); socket_fd.IsOpen()) return socket_fd;
    if (!IsAlive(target)) return Fail(Name(target) + " exited");
  }
  return tl::unexpected(NoAnswer(target, options.listen_timeout_ns));
}

Result<std::string> ReadAnswer(const TargetProcess& target, const FileDescriptor& socket_fd, int64_t timeout_ns) {
  std::string answer;
  char buffer[8192];
  for (const int64_t deadline = MonotonicNanos() + timeout_ns;;) {
    const int64_t left_ms = (deadline - MonotonicNanos()) / kNanosPerMilli;
    pollfd wait{socket_fd.Get(), POLLIN, 0};
    const int ready = left_ms <= 0 ? 0 : poll(&wait, 1, static_cast<int>(left_ms));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      return Fail(Name(target) + " did not respond within " + FormatDuration(timeout_ns) +
                  ": it may wait for a safepoint, be stopped or hang");
    }
    const ssize_t got = read(socket_fd.Get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(SystemError(Name(target), "cannot read its response"));
    if (got == 0) return answer;
    answer.append(buffer, static_cast<size_t>(got));
    if (answer.size() > kMaxAnswerSize) return Fail(Name(target) + " sent a response of more than 256 MiB");
  }
}

// The JVM's counters; empty if unreadable. The file is untrusted: another user may have replaced it.
std::string PerformanceData(const TargetProcess& target) {
  const Result<FileDescriptor> folder = OpenFolderOf(target, "/tmp");
  if (!folder) return {};
  const std::string path =
      FindHsperfdata(target.pid, "/proc/self/fd/" + std::to_string(folder->Get()), target.namespace_pid);
  const auto source = path.empty() ? Fail("") : OpenFileSource(path, 0, kMaxPerformanceData);
  std::optional<Error> error;
  return source ? ReadUpTo(source->get(), kMaxPerformanceData, &error) : std::string();
}

}  // namespace

std::string RefusalOf(const TargetProcess& target) {
  constexpr char kDisabled[] =
      "cannot be attached to: it was started with -XX:+DisableAttachMechanism. Start it without that option, or "
      "with sparkprof's plugin (`sparkprof run`), which does not attach";
  if (const std::string bytes = PerformanceData(target); !bytes.empty()) {
    const auto data = ParseHsperfdata(bytes, Name(target));
    // The first character is AttachListener::is_attach_supported().
    const std::string_view capabilities = data ? data->Text("sun.rt.jvmCapabilities") : std::string_view();
    if (capabilities.starts_with('0')) return kDisabled;
    if (capabilities.starts_with('1') && target.catches_quit) return {};
  }
  const Result<std::string> command = ReadFile("/proc/" + std::to_string(target.pid) + "/cmdline");
  if (command && command->find("-XX:+DisableAttachMechanism") != std::string::npos) return kDisabled;
  if (!target.catches_quit) {
    return "cannot be attached to: SIGQUIT would kill it (it was started with -Xrs, or is starting). Start it "
           "without -Xrs, or with sparkprof's plugin (`sparkprof run`), which does not attach";
  }
  return {};
}

Result<std::string> AskJvm(const TargetProcess& target, std::string_view command,
                           const std::vector<std::string>& arguments, const AttachOptions& options) {
  std::string request = "1";
  request += '\0';
  request.append(command) += '\0';
  for (size_t i = 0; i < kArgumentCount; ++i) {
    const std::string argument = i < arguments.size() ? arguments[i] : "";
    if (argument.size() >= kMaxArgumentSize || argument.find('\0') != std::string::npos) {
      return Fail(Name(target) + ": an argument of '" + std::string(command) + "' is longer than the " +
                  std::to_string(kMaxArgumentSize) + " bytes that a JVM accepts");
    }
    request += argument + '\0';
  }
  const Result<FileDescriptor> socket_fd = Listen(target, options);
  if (!socket_fd) return tl::unexpected(socket_fd.error());
  // MSG_NOSIGNAL: SIGPIPE of an exiting JVM must not kill this process.
  for (std::string_view rest = request; !rest.empty();) {
    const ssize_t sent = send(socket_fd->Get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return tl::unexpected(SystemError(Name(target), "cannot send it '" + std::string(command) + "'"));
    rest.remove_prefix(static_cast<size_t>(sent));
  }
  const Result<std::string> answer = ReadAnswer(target, *socket_fd, options.answer_timeout_ns);
  if (!answer) return answer;
  const size_t line_end = answer->find('\n');
  const auto code = ParseInteger(std::string_view(*answer).substr(0, line_end));
  const std::string text = line_end == std::string::npos ? "" : answer->substr(line_end + 1);
  if (!code) {
    return Fail(Name(target) + (answer->empty()
                                    ? " closed the connection without a response: it accepts only its own user "
                                      "and root in"
                                    : " sent an unexpected response: " + TextForPeople(answer->substr(0, 100))));
  }
  if (*code != 0) {
    return Fail(Name(target) + " failed to run '" + std::string(command) + "' with error " + std::to_string(*code) +
                ": " + TextForPeople(Trim(text)));
  }
  return text;
}

Result<int64_t> ParseLoadAnswer(std::string_view answer) {
  constexpr std::string_view kReturnCode = "return code: ";
  std::string_view text = Trim(answer);
  if (text.empty()) return 0;
  if (text.starts_with(kReturnCode)) text.remove_prefix(kReturnCode.size());
  if (const auto code = ParseInteger(Trim(text))) return *code;
  return Fail(TextForPeople(text));
}

Result<int64_t> LoadAgent(const TargetProcess& target, const std::string& path, const std::string& agent_options,
                          const AttachOptions& options) {
  const Result<std::string> answer = AskJvm(target, "load", {path, "true", agent_options}, options);
  if (!answer) return tl::unexpected(answer.error());
  Result<int64_t> code = ParseLoadAnswer(*answer);
  if (code) return code;
  std::string message = Name(target) + " cannot load the agent: " + code.error().message;
  while (message.ends_with('.')) message.pop_back();
  if (message.find("Dynamic agent loading is not enabled") != std::string::npos) {
    message +=
        "; start it with -XX:+EnableDynamicAgentLoading, or with sparkprof's plugin (`sparkprof run`), which does not "
        "attach";
  }
  return Fail(message);
}

}  // namespace sparkprof
