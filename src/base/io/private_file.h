// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// Users who may read the files and folders that sparkprof creates, regardless of the umask. Only their owner may write.
enum class Sharing { kPrivate, kGroup, kAll };

// "private", "group" or "all".
std::optional<Sharing> ParseSharing(std::string_view name);

// Applies to everything that this process creates from now on; kPrivate until the first call. Not thread-safe.
void SetSharing(Sharing sharing);

mode_t SharedFileMode();    // 0600, 0640 or 0644
mode_t SharedFolderMode();  // 0700, 0750 or 0755

// Fails if another user could have planted a part of `path`: a symbolic link or a pipe in a world-writable folder that
// belongs neither to this user nor to the folder's owner.
Result<void> RefusePlanted(const std::string& path);

// Creates a new file for writing, and for reading if `flags` has O_RDWR. Fails with errno EEXIST if anything, including
// a link, has that name.
Result<FileDescriptor> CreateNewFile(const std::string& path, int flags);

// CreateNewFile with an unpredictable name: `path`, six random characters, `ending`. Sets `path` to that name.
Result<FileDescriptor> CreateUnguessableFile(std::string* path, std::string_view ending, int flags);

// Creates the folder with missing parents. Existing folders keep their mode.
Result<void> CreateFolders(const std::string& path);

// Fails if anything, including a link, has that name.
Result<void> CreateNewFolder(const std::string& path);

// Applies the modes above, through the umask, to files that libraries create in this process. Programs that this
// process starts get the original umask with RestoreUmask after fork().
void RestrictUmask();
void RestoreUmask();

// Removes permissions beyond the modes above from `folder` and everything below it, and returns the number of changed
// entries. Follows symbolic links of this user. Fails for entries that another user could have planted: those that
// belong neither to this user, nor to the folder's owner, nor to root.
Result<size_t> RestrictFolder(const std::string& folder);

}  // namespace sparkprof
