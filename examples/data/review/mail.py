import smtplib


def send(to, text):
    server = smtplib.SMTP("mail.example.com")
    server.sendmail("shop@example.com", to, text)
