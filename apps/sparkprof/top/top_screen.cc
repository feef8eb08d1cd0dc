// SPDX-License-Identifier: Apache-2.0
#include "top/top_screen.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/time.h"
#include "output/terminal_style.h"

namespace sparkprof {
namespace {

constexpr int64_t kMeasureNanos = 50 * kNanosPerMilli;
constexpr size_t kUsualHeight = 24;

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

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

}  // namespace sparkprof
