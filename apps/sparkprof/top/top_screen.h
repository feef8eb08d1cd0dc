// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/io/file.h"

namespace sparkprof {

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

}  // namespace sparkprof
