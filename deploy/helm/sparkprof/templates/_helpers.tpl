{{- define "sparkprof.name" -}}
{{- printf "%s-%s" .Release.Name "sparkprof" | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "sparkprof.labels" -}}
app.kubernetes.io/name: sparkprof
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sparkprof.collectorLabels" -}}
app.kubernetes.io/name: sparkprof
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: collector
{{- end }}

{{- define "sparkprof.monitorLabels" -}}
app.kubernetes.io/name: sparkprof
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: monitor
{{- end }}

{{- define "sparkprof.injector" -}}
{{- printf "%s-injector" (include "sparkprof.name" .) }}
{{- end }}

{{- define "sparkprof.injectorLabels" -}}
app.kubernetes.io/name: sparkprof
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: injector
{{- end }}

{{- define "sparkprof.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "sparkprof.secret" -}}
{{ .Values.collector.existingSecret | default (printf "%s-tokens" (include "sparkprof.name" .)) }}
{{- end }}
