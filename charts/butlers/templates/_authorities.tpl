{{/* Own certificate authorities of the chart's pods that reach the database: an environment, a variable of one, a mount, a volume. */}}
{{- define "butlers.authoritiesEnv" -}}
{{- with include "butlers.authoritiesVariable" . -}}
env:
  {{- . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "butlers.authoritiesVariable" -}}
{{- if or .Values.caBundle.configMap .Values.caBundle.secret -}}
- {name: BUTLERS_CA_FILE, value: /etc/butlers/authorities/ca.crt}
{{- end -}}
{{- end -}}

{{- define "butlers.authoritiesMount" -}}
{{- if or .Values.caBundle.configMap .Values.caBundle.secret -}}
- {name: authorities, mountPath: /etc/butlers/authorities, readOnly: true}
{{- end -}}
{{- end -}}

{{- define "butlers.authoritiesVolume" -}}
{{- if .Values.caBundle.configMap -}}
- name: authorities
  configMap:
    name: {{ .Values.caBundle.configMap }}
    items: [{key: {{ .Values.caBundle.key }}, path: ca.crt}]
{{- else if .Values.caBundle.secret -}}
- name: authorities
  secret:
    secretName: {{ .Values.caBundle.secret }}
    defaultMode: 0440
    items: [{key: {{ .Values.caBundle.key }}, path: ca.crt}]
{{- end -}}
{{- end -}}
