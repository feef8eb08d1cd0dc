// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sparkprof {

// Properties of core-site.xml, hdfs-site.xml and yarn-site.xml by name, as read by Hadoop's clients: missing and
// unreadable files are ignored, later files take precedence. Variable references (${user.name}) are not resolved.
using HadoopConfiguration = std::map<std::string, std::string, std::less<>>;

// Reads a folder, usually HADOOP_CONF_DIR. Empty for an empty path.
HadoopConfiguration ReadHadoopConfiguration(const std::string& folder);

void AddHadoopProperties(std::string_view xml, HadoopConfiguration* properties);

}  // namespace sparkprof
