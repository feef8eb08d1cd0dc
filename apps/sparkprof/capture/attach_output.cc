// SPDX-License-Identifier: Apache-2.0
#include "capture/attach_output.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <string>
#include <string_view>
#include <utility>

#include "analysis/selection/foreign_application.h"
#include "base/io/byte_source.h"
#include "base/io/output_file.h"
#include "base/text/text.h"
#include "capture/recording_options.h"
#include "formats/jfr_profile/jfr_profile_reader.h"
#include "output/output_name.h"
#include "output/profile_output.h"
#include "profiles/profile_transform.h"
#include "render/writers/profile_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

// In JFR, all events that interrupt a running thread are the same kind of sample.
std::string EventOfJfr(const std::string& event) {
  for (const std::string_view same : {"wall", "alloc", "lock", "nativelock"}) {
    if (event == same) return event;
  }
  return event == "nativemem" ? "malloc" : "cpu";
}

Result<Profile> ReadRecording(const AttachRequest& request, const FileDescriptor& recording, const std::string& title,
                              bool is_cut) {
  Result<std::unique_ptr<ByteSource>> source = OpenFileSource(fmt::format("/proc/self/fd/{}", recording.Get()));
  if (!source) return tl::unexpected(source.error());
  ProfileBuilder builder(AttachReadOptions(request, title, is_cut));
  if (const Result<void> read = ReadJfrProfile(std::move(*source), &builder); !read)
    return tl::unexpected(read.error());
  return builder.Take();
}

int WriteJfr(const AttachRequest& request, const FileDescriptor& recording) {
  const auto file = MappedFile::Open(fmt::format("/proc/self/fd/{}", recording.Get()));
  if (!file) return Complain(file.error().message);
  Result<OutputFile> output = OutputFile::Create(request.output);
  if (!output) return Complain(output.error().message);
  output->Append(file->Bytes());
  const Result<void> written = output->Commit();
  return written ? kExitSuccess : Complain(written.error().message);
}

Result<void> WriteGraph(const AttachRequest& request, const Application& application, EventId event,
                        const ProfileWriter& writer, const std::string& subtitle) {
  Result<OutputFile> output = CreateOutput(request.output, &writer);
  if (!output) return tl::unexpected(output.error());
  const ProfileWriteOptions options{
      .event = event, .note = subtitle, .svg = {.title = application.name, .subtitle = subtitle}};
  if (const Result<void> written = writer.write(application, options, &*output); !written) return written;
  return output->Commit();
}

}  // namespace

bool AsksForRecording(const AttachRequest& request, std::string_view recording) {
  return request.format.empty() ? request.output.ends_with(fmt::format(".{}", recording)) : request.format == recording;
}

const ProfileWriter* WriterOf(const AttachRequest& request) {
  if (!request.format.empty()) return FindProfileWriter(request.format);
  const ProfileWriter* by_name = ProfileWriterForPath(request.output);
  return by_name != nullptr ? by_name : FindProfileWriter("collapsed");
}

ProfileReadOptions AttachReadOptions(const AttachRequest& request, const std::string& title, bool lenient) {
  const ProfileWriter& writer = *WriterOf(request);
  return {.name = title, .lenient = lenient, .keep_threads = writer.keeps_threads, .bucket_ns = writer.bucket_ns};
}

Result<void> CheckOutput(const AttachRequest& request, std::string_view recording) {
  if (Result<void> known = CheckFormat(request, recording); !known) return known;
  // Opening and closing a pipe would end its reader's input.
  struct stat status;
  if (stat(request.output.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return {};
  // Only a check: its temporary file is removed.
  const Result<OutputFile> output = OutputFile::Create(request.output);
  return output ? Result<void>() : tl::unexpected(output.error());
}

Result<void> CheckFormat(const AttachRequest& request, std::string_view recording) {
  if (!recording.empty() && AsksForRecording(request, recording)) return {};
  if (AsksForRecording(request, kJfr)) {
    return Fail(
        fmt::format("{}: JFR requires a JVM and its own profiler; omit --perf or --python, or use another format",
                    request.format.empty() ? "-o" : "--format"));
  }
  if (request.format.empty()) return CheckOutputName(ProfileOutputs(), "-o ", request.output);
  if (WriterOf(request) != nullptr) return {};
  std::string names(recording);
  for (const ProfileWriter& writer : ProfileWriters()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", writer.name);
  }
  return Fail(fmt::format("--format: unknown format '{}'; use one of {}", request.format, names));
}

int WriteAttachRecording(const AttachRequest& request, const std::string& title, const FileDescriptor& recording,
                         bool is_cut) {
  if (AsksForRecording(request, kJfr)) return WriteJfr(request, recording);
  Result<Profile> profile = ReadRecording(request, recording, title, is_cut);
  if (!profile) return Complain(profile.error().message);
  return WriteAttachProfile(request, *profile, EventOfJfr(request.events.front()),
                            "samples have no tasks: start the job with `sparkprof run` to get them; "
                            "threads have the names they had at the end");
}

int WriteAttachProfile(const AttachRequest& request, const Profile& all, const std::string& event_name,
                       const std::string& note) {
  const ProfileWriter& writer = *WriterOf(request);
  Result<Profile> profile = Transform(all, {.lines = writer.keeps_lines});
  if (!profile) return Complain(profile.error().message);
  const Result<EventId> event = profile->FindEvent(event_name);
  StackWeight total;
  if (event) {
    for (const StackWeight& stack : WeighStacks(*profile, *event)) {
      total.weight += stack.weight;
      total.count += stack.count;
    }
  }
  if (total.count == 0) {
    return Complain(fmt::format("{}: no samples; nothing written", all.name), kExitNo);
  }
  const std::string unit = profile->events[*event].unit;
  std::string summary = fmt::format("{} samples", total.count);
  if (unit != "count") summary += fmt::format(", {}", FormatAmount(unit, total.weight));
  const Application application = ForeignApplication(std::move(*profile));
  Result<void> written = WriteGraph(request, application, *event, writer, summary);
  if (written && request.prints_top) {
    written = WriteOutput("-", WrittenText(request.output, application.profile, *event));
  }
  if (!written) return Complain(written.error().message);
  Complain(fmt::format("{}: {}; {}", all.name, summary, note));
  return kExitSuccess;
}

}  // namespace sparkprof
