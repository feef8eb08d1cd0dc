// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace sparkprof {

// Users who may read the files and folders that sparkprof creates, regardless of the umask. Only their owner may write.
enum class Sharing { kPrivate, kGroup, kAll };

// "private", "group" or "all".
std::optional<Sharing> ParseSharing(std::string_view name);

// For everything that this process creates from now on. kPrivate until the first call. Not thread-safe.
void SetSharing(Sharing sharing);

mode_t SharedFileMode();    // 0600, 0640 or 0644
mode_t SharedFolderMode();  // 0700, 0750 or 0755

// Fails if another user could have planted a part of `path`: a symbolic link or a pipe in a world-writable folder that
// belongs neither to this user nor to the folder's owner.
Result<void> RefusePlanted(const std::string& path);

// Opens a new file for writing, and for reading if `flags` has O_RDWR. Fails with errno EEXIST when anything, a link
// too, has that name.
Result<FileDescriptor> CreateNewFile(const std::string& path, int flags);

// The same with an unpredictable name: `path`, six random characters, `ending`. Replaces `path` with that name.
Result<FileDescriptor> CreateUnguessableFile(std::string* path, std::string_view ending, int flags);

// Creates the folder with those above it that are missing. Existing ones keep their mode.
Result<void> CreateFolders(const std::string& path);

// Fails when anything, a link too, has that name.
Result<void> CreateNewFolder(const std::string& path);

// For files that other libraries create in this process, at any time: the umask leaves them the modes above. Programs
// that this process starts get the umask back that it had, with RestoreUmask after fork().
void RestrictUmask();
void RestoreUmask();

// Takes from `folder`, and from everything below it, the permissions that the modes above do not have, and returns how
// many entries had more. Follows symbolic links of this user. Fails for what another user could have planted: an entry
// that belongs neither to this user nor to the folder's owner, nor to root.
Result<size_t> RestrictFolder(const std::string& folder);

}  // namespace sparkprof
