// SPDX-License-Identifier: Apache-2.0
#include "server/ingest/recording_rewriter.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/time.h"
#include "model/segment/block.h"
#include "recording/sample_coarsening.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

// Not a recording's suffix, so a file that a crash left behind is never read.
constexpr const char* kUnfinishedEnding = ".unfinished";

// Writes blocks to a file that appears completely or not at all.
class RecordingOutput {
 public:
  static Result<RecordingOutput> Create(const std::string& target) {
    RecordingOutput output(target);
    output.file_ = FileDescriptor(
        open(output.path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, SharedFileMode()));
    if (!output.file_.IsOpen()) return tl::unexpected(SystemError(output.path_, "cannot create"));
    return output;
  }
  RecordingOutput(RecordingOutput&&) = default;
  RecordingOutput& operator=(RecordingOutput&&) = delete;
  ~RecordingOutput() {
    if (file_.IsOpen()) unlink(path_.c_str());
  }

  void Add(const Segment& segment) {
    packer_.Add(segment);
    if (packer_.Size() >= BlockPacker::kGoodSize) Flush();
  }

  Result<void> Commit(int64_t modified_ns) {
    Flush();
    if (!written_) return written_;
    const timespec time{modified_ns / kNanosPerSecond, modified_ns % kNanosPerSecond};
    const timespec times[] = {time, time};
    if (futimens(file_.Get(), times) != 0) return tl::unexpected(SystemError(path_, "cannot set the time"));
    if (fsync(file_.Get()) != 0) return tl::unexpected(SystemError(path_, "cannot sync"));
    // Verifies the new file before it replaces its sources.
    const Result<RecordingSurvey> survey = SurveyRecordings({path_});
    if (!survey) return tl::unexpected(survey.error());
    if (!survey->damaged.empty()) return Fail(path_ + ": cannot be read back; the recording stays as it is");
    if (rename(path_.c_str(), target_.c_str()) != 0) return tl::unexpected(SystemError(target_, "cannot create"));
    file_.Close();
    return SyncFolder(std::filesystem::path(target_).parent_path());
  }

 private:
  explicit RecordingOutput(std::string target) : target_(std::move(target)), path_(target_ + kUnfinishedEnding) {}

  void Flush() {
    if (packer_.Size() == 0) return;
    const std::string block = packer_.Take();
    if (written_) written_ = WriteAll(file_.Get(), block, path_);
  }

  std::string target_, path_;
  FileDescriptor file_;
  BlockPacker packer_;
  Result<void> written_;
};

// Collects the segments of each owner and coarsens their samples together, up to the size of a block.
class CoarseningOutput {
 public:
  CoarseningOutput(int64_t bucket_ns, RecordingOutput* output) : bucket_ns_(bucket_ns), output_(output) {}

  void Add(Segment&& segment) {
    Group& group = groups_[SamplesOwner(segment.source)];
    group.rows += segment.samples.size() + segment.stacks.Size();
    group.segments.push_back(std::move(segment));
    if (group.rows >= kRowsOfGroup) Write(&group);
  }

  void Finish() {
    for (auto& [owner, group] : groups_) Write(&group);
  }

 private:
  static constexpr size_t kRowsOfGroup = 1'000'000;

  struct Group {
    std::vector<Segment> segments;
    size_t rows = 0;
  };

  void Write(Group* group) {
    if (group->segments.empty()) return;
    std::stable_sort(group->segments.begin(), group->segments.end(),
                     [](const Segment& a, const Segment& b) { return a.source.sequence < b.source.sequence; });
    CoarsenSamples(bucket_ns_, &group->segments);
    for (const Segment& segment : group->segments) output_->Add(segment);
    *group = {};
  }

  int64_t bucket_ns_;
  RecordingOutput* output_;
  std::map<std::string, Group> groups_;  // by owner
};

}  // namespace

std::string RewrittenPath(const std::string& folder, int64_t bucket_ns) {
  const auto* const file = std::find_if(std::begin(kRewrittenFiles), std::end(kRewrittenFiles),
                                        [&](const RewrittenFile& known) { return known.bucket_ns == bucket_ns; });
  return folder + "/" + std::string(file->name);
}

Result<RecordingSurvey> SurveyRecordings(const std::vector<std::string>& paths) {
  RecordingSurvey survey;
  struct Last {
    uint64_t sequence = 0;
    bool is_final = false;
  };
  std::unordered_map<std::string, Last> last_of_process;
  for (const std::string& path : paths) {
    const Result<MappedFile> file = MappedFile::Open(path);
    if (!file) return tl::unexpected(file.error());
    const Result<RecordingStatus> status = ReadBlocks(file->Bytes(), path, [&](Segment&& segment) {
      const Source& source = segment.source;
      Last& last = last_of_process[ProcessOf(source)];
      if (source.sequence >= last.sequence) last = {source.sequence, segment.final};
    });
    const bool is_whole = status && status->damaged_blocks + status->skipped_bytes + status->cut_bytes == 0;
    (is_whole ? survey.whole : survey.damaged).push_back(path);
    if (!is_whole) continue;
    survey.bytes += file->Bytes().size();
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return tl::unexpected(SystemError(path, "cannot read"));
    survey.modified_ns = std::max(survey.modified_ns, info.st_mtim.tv_sec * kNanosPerSecond + info.st_mtim.tv_nsec);
  }
  for (const auto& [process, last] : last_of_process) survey.ended = survey.ended && last.is_final;
  return survey;
}

Result<void> RewriteRecordings(const std::vector<std::string>& paths, int64_t bucket_ns, int64_t modified_ns,
                               const std::string& target) {
  Result<RecordingOutput> output = RecordingOutput::Create(target);
  if (!output) return tl::unexpected(output.error());
  CoarseningOutput coarsening(bucket_ns, &*output);
  KnownSegments known;
  for (const std::string& path : paths) {
    const Result<MappedFile> file = MappedFile::Open(path);
    if (!file) return tl::unexpected(file.error());
    const Result<RecordingStatus> status = ReadBlocks(file->Bytes(), path, [&](Segment&& segment) {
      if (known.Add(SegmentNumber(segment)) == KnownSegments::Answer::kCopy) return;
      if (bucket_ns == 0) {
        output->Add(segment);
      } else {
        coarsening.Add(std::move(segment));
      }
    });
    if (!status) return tl::unexpected(status.error());
  }
  coarsening.Finish();
  return output->Commit(modified_ns);
}

}  // namespace sparkprof
