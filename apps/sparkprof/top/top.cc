// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/recording_options.h"
#include "loader/remote_inputs.h"
#include "output/terminal_style.h"
#include "top/top_source.h"
#include "verb.h"

namespace sparkprof {
namespace {

// The terminal while `top` is running: each picture replaces the previous one, and keys arrive without Enter. The
// destructor restores the screen.
class TopScreen {
 public:
  TopScreen();
  ~TopScreen();
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  size_t Height() const;
  void Show(const std::vector<std::string>& lines) const;

  static constexpr char kNoKey = 0, kQuit = 'q', kResized = 1;
  // The next key; kNoKey after `wait_ns`, kQuit also for Ctrl-C and fatal signals. Calls `meanwhile` every 50 ms.
  char WaitForKey(int64_t wait_ns, const std::function<void()>& meanwhile) const;

 private:
  char ReadKey() const;

  termios before_{};
  FileDescriptor signals_;
};

constexpr int64_t kMeasureNanos = 50 * kNanosPerMilli;
constexpr size_t kUsualHeight = 24;

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&signals, signal);
  return signals;
}

TopScreen::TopScreen() {
  const sigset_t signals = Signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signals_ = FileDescriptor(signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
  tcgetattr(STDIN_FILENO, &before_);
  termios keys = before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  // The alternate screen, without a cursor.
  fmt::print("\033[?1049h\033[?25l");
  std::fflush(stdout);
}

TopScreen::~TopScreen() {
  std::fputs("\033[?25h\033[?1049l", stdout);
  std::fflush(stdout);
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

size_t TopScreen::Height() const {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kUsualHeight;
}

void TopScreen::Show(const std::vector<std::string>& lines) const {
  // Each line erases the rest of the previous one, which prevents flicker.
  std::string text = "\033[H";
  for (size_t row = 0; row < lines.size(); ++row) {
    text += StyledForTerminal(lines[row]) + "\033[K";
    if (row + 1 < lines.size()) text += "\n";
  }
  text += "\033[J";
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

char TopScreen::WaitForKey(int64_t wait_ns, const std::function<void()>& meanwhile) const {
  const int64_t end_ns = MonotonicNanos() + wait_ns;
  for (;;) {
    const int64_t left_ns = end_ns - MonotonicNanos();
    if (left_ns <= 0) return kNoKey;
    pollfd files[] = {{STDIN_FILENO, POLLIN, 0}, {signals_.Get(), POLLIN, 0}};
    const int wait_ms = static_cast<int>(std::max<int64_t>(1, std::min(left_ns, kMeasureNanos) / kNanosPerMilli));
    const int ready = poll(files, 2, wait_ms);
    if (ready > 0 && files[1].revents != 0) {
      signalfd_siginfo info{};
      if (read(signals_.Get(), &info, sizeof(info)) != sizeof(info)) continue;
      return info.ssi_signo == SIGWINCH ? kResized : kQuit;
    }
    if (ready > 0 && files[0].revents != 0) return ReadKey();
    meanwhile();
  }
}

char TopScreen::ReadKey() const {
  char key = kNoKey;
  constexpr char kControlC = 3;
  return read(STDIN_FILENO, &key, 1) <= 0 || key == kControlC ? kQuit : key;
}

constexpr int64_t kShortestIntervalNs = kNanosPerSecond / 5;
constexpr int64_t kFirstIntervalNs = kNanosPerSecond / 2;  // interval for a single picture of a host
constexpr size_t kWidthOfFiles = 160;
// Reading takes at most this fraction of the time.
constexpr int64_t kWaitForWork = 4;

struct TopOptions {
  std::string input;
  std::string application;
  std::string interval = "2s";
  std::string last = "30s";
  bool once = false;
  InputOptions inputs;
  CollectorOptions server;
};

std::unique_ptr<TopSource> SourceOf(const TopOptions& options, int64_t window_ns) {
  if (options.input.empty()) return HostTop();
  if (IsUrl(options.input) && !RecordingUrl(options.input)) {
    CollectorOptions server = options.server;
    server.server = options.input;
    return ServerTop(server);
  }
  return ApplicationTop(options.input, options.application, window_ns, options.inputs, options.server);
}

int PrintOnce(TopSource* source) {
  const WorkTextStyle style{.width = OutputWidth(kWidthOfFiles), .color = HasColors()};
  Result<std::vector<std::string>> lines = source->Lines(style);
  if (lines && source->IsOfInterval()) {
    const int64_t end_ns = MonotonicNanos() + kFirstIntervalNs;
    while (MonotonicNanos() < end_ns) {
      source->Measure();
      const timespec pause{0, 20 * kNanosPerMilli};
      nanosleep(&pause, nullptr);
    }
    lines = source->Lines(style);
  }
  if (!lines) return Complain(lines.error().message);
  std::string text;
  for (const std::string& line : *lines) text += line + "\n";
  const Result<void> written = WriteOutput("-", HasColors() ? StyledForTerminal(text) : text);
  return written ? kExitSuccess : Complain(written.error().message);
}

int ShowUntilQuit(TopSource* source, int64_t interval_ns) {
  TopScreen screen;
  // The first picture of a host has no preceding interval.
  int64_t wait_ns = source->IsOfInterval() ? kFirstIntervalNs : interval_ns;
  for (;;) {
    const int64_t begin_ns = MonotonicNanos();
    const size_t height = std::max<size_t>(screen.Height(), 5);
    const WorkTextStyle style{.width = OutputWidth(kWidthOfFiles), .height = height - 2, .color = HasColors()};
    Result<std::vector<std::string>> lines = source->Lines(style);
    // An unreadable input may appear later: the folder of a job that is starting.
    if (!lines) lines = std::vector<std::string>{ToOneLine(lines.error().message)};
    lines->resize(height - 2);
    lines->emplace_back();
    lines->push_back(TitleLine(fmt::format("q quit  space refresh  {}", source->Keys()), style));
    screen.Show(*lines);
    wait_ns = std::max(wait_ns, kWaitForWork * (MonotonicNanos() - begin_ns));
    for (;;) {
      const char key = screen.WaitForKey(wait_ns, [&] { source->Measure(); });
      if (key == TopScreen::kQuit) return kExitSuccess;
      if (key == TopScreen::kNoKey || key == TopScreen::kResized || key == ' ' || source->OnKey(key)) break;
    }
    wait_ns = interval_ns;
  }
}

int RunTop(const TopOptions& options, const CLI::App& command) {
  const Result<int64_t> interval = ParseDuration(options.interval);
  if (!interval) return Misuse(command, Refusal("--refresh", options.interval, interval.error()));
  if (*interval < kShortestIntervalNs) return Misuse(command, "--refresh: must be at least 200ms");
  const Result<int64_t> window = ParseDuration(options.last);
  if (!window) return Misuse(command, Refusal("--last", options.last, window.error()));
  const std::unique_ptr<TopSource> source = SourceOf(options, *window);
  if (options.once || isatty(STDOUT_FILENO) != 1 || isatty(STDIN_FILENO) != 1) return PrintOnce(source.get());
  return ShowUntilQuit(source.get(), *interval);
}

}  // namespace

std::function<int()> DefineTop(CLI::App& command) {
  const auto options = std::make_shared<TopOptions>();
  command.add_option("INPUT", options->input,
                     "Recording, event log or folder of a running job, the URL of a collector or of an application on "
                     "it (default: the Spark processes of this host)");
  AddApplicationTo(command, &options->application);
  AddOption(command, "--last TIME", &options->last, "Time that owners of CPU and lines are of; 0s = the whole run")
      ->capture_default_str();
  AddOption(command, "--refresh TIME", &options->interval, "Time between two pictures")->capture_default_str();
  command.add_flag("--once", options->once, "Print one picture, as for a file or a pipe");
  options->inputs.AddTo(command);
  options->server.AddAccessTo(command, "Server");
  command.footer(
      "Shows a running application: tasks by stage, owners of CPU, lines of your code, and findings so far. Of a host, "
      "it\n"
      "shows the Spark processes with the owners of their CPU and the lines of Python, without a profiler in the job; "
      "of a\n"
      "collector, the applications that run. It is as current as what the job has written (see "
      "spark.sparkprof.uploadInterval).\n"
      "Keys: q quits, s sorts, w switches between the last seconds and the whole run, space refreshes.\n"
      "Examples:\n"
      "  sparkprof top\n"
      "  sparkprof top recordings/\n"
      "  sparkprof top http://collector:8320\n"
      "  sparkprof top http://collector:8320/applications/application_1603128018386_7846\n"
      "  sparkprof top eventlogs/app-20261126.inprogress --once");
  return [options, &command] { return RunTop(*options, command); };
}

}  // namespace sparkprof
