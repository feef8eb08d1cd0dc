// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace sparkprof {

// The CPythons of this machine whose stacks can be read: those of pyenv (PYENV_ROOT, ~/.pyenv) and of the system; may
// be empty.
inline std::vector<std::string> FindPythons() {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  const char* root = std::getenv("PYENV_ROOT");
  const char* home = std::getenv("HOME");
  const fs::path versions =
      fs::path(root != nullptr ? root : std::string(home != nullptr ? home : "") + "/.pyenv") / "versions";
  for (const auto& version : fs::directory_iterator(versions, error)) {
    for (const char* known : {"3.9.", "3.10.", "3.11.", "3.12.", "3.13.", "3.14.", "3.15."}) {
      const fs::path python = version.path() / "bin" / "python3";
      if (version.path().filename().string().starts_with(known) && fs::exists(python, error)) found.push_back(python);
    }
  }
  for (const char* minor : {"9", "10", "11", "12", "13", "14", "15"}) {
    const std::string python = std::string("/usr/bin/python3.") + minor;
    if (fs::exists(python, error)) found.push_back(python);
  }
  return found;
}

// Whether the function names, root first, form a complete stack of torture.py.
inline bool IsWholeTortureStack(const std::vector<std::string>& names) {
  size_t i = 0;
  // Before the work starts and after it ends.
  while (i < names.size() && (names[i] == "<module>" || names[i] == "sampled" || names[i] == "main")) ++i;
  if (i == names.size()) return true;
  if (i < 2 || names[i++] != "process") return false;
  if (i < names.size() && names[i] == "generate") ++i;
  while (i < names.size() && names[i] == "recurse") ++i;
  if (i < names.size() && names[i] == "leaf") {
    ++i;
    if (i < names.size() && names[i] == "<genexpr>") ++i;
  }
  return i == names.size();
}

}  // namespace sparkprof
